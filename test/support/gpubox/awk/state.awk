# What the state folder says: cards, and the processes that live. Layout in README.md.

# Reads `key=value` lines into into[prefix key]. Returns whether the file was there.
function readPairs(file, into, prefix,    line, at, found) {
  while ((getline line < file) > 0) {
    found = 1
    at = index(line, "=")
    if (at > 1) into[prefix substr(line, 1, at - 1)] = substr(line, at + 1)
  }
  close(file)
  return found
}

function readCards() {
  split("", card)
  for (cards = 0; readPairs(state "/gpus/" cards, card, cards ","); cards++);
}

# -i takes indices, uuids and bus ids.
function chooseCards(ids,    list, n, i, at, found) {
  chosen = 0
  if (ids == "") { for (i = 0; i < cards; i++) choose[chosen++] = i; return }
  n = split(ids, list, ",")
  for (at = 1; at <= n; at++) {
    found = 0
    for (i = 0; i < cards; i++) {
      if (list[at] == i "" || list[at] == card[i ",uuid"] || list[at] == card[i ",bus_id"]) { choose[chosen++] = i; found = 1 }
    }
    if (!found) { print "No devices were found"; exit 6 }
  }
}

# Seconds since boot: the clock of every time in the state folder.
function uptime(    line, words) {
  getline line < "/proc/uptime"
  close("/proc/uptime")
  split(line, words, " ")
  return words[1] + 0
}

# Start time of a living process, "" for one that is gone or a zombie. Its name may hold blanks and brackets.
function startOf(pid,    file, line, all, words) {
  file = "/proc/" pid "/stat"
  while ((getline line < file) > 0) all = all line " "
  close(file)
  if (all == "") return ""
  sub(/^.*\) /, "", all)
  split(all, words, " ")
  return words[1] == "Z" || words[1] == "X" ? "" : words[20]
}

# A process counts while it lives; `start` keeps a stranger with a recycled pid from standing in for it.
function readProcesses(    listing, pid, start) {
  processes = 0
  split("", process)
  listing = "ls " quote(state "/procs")
  while ((listing | getline pid) > 0) {
    if (pid !~ /^[0-9]+$/ || !readPairs(state "/procs/" pid, process, pid ",")) continue
    start = startOf(pid)
    process[pid ",alive"] = start != "" && (process[pid ",start"] == "" || process[pid ",start"] == start) && process[pid ",ended"] == ""
    order[processes++] = pid
  }
  close(listing)
}

function quote(text) { gsub(/'/, "'\\''", text); return "'" text "'" }
