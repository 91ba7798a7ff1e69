# Power, memory, utilisation and temperature of each card, from its processes and the time.

# e^-x, near enough: not every busybox is built with exp().
function decay(x,    y) {
  y = 1 / (1 + x / 64)
  y *= y; y *= y; y *= y; y *= y; y *= y; y *= y
  return y
}

# How much of its load a process draws: rising since it came, falling since it said that it ended.
function eased(pid, now,    since, ended, rise) {
  since = process[pid ",since"]; ended = process[pid ",ended"]
  if (ended == "" && !process[pid ",alive"]) return 0
  if (since == "") return 1
  rise = 1 - decay(((ended == "" ? now : ended) - since) / settle)
  return ended == "" ? rise : rise * decay((now - ended) / settle)
}

function measure(    now, i, n, pid, watts, bad) {
  now = uptime()
  bad = mode == "gpuLost" || mode == "requiresReset" ? (ENVIRON["MODE_ARGUMENT"] == "" ? cards - 1 : ENVIRON["MODE_ARGUMENT"] + 0) : -1
  for (i = 0; i < cards; i++) {
    watts = card[i ",idle_watts"] + card[i ",load_watts"]
    used[i] = card[i ",idle_mib"] + 0
    util[i] = card[i ",util"] + 0
    for (n = 0; n < processes; n++) {
      pid = order[n]
      if (process[pid ",gpu"] != i) continue
      watts += process[pid ",watts"] * eased(pid, now)
      if (!process[pid ",alive"]) continue
      used[i] += process[pid ",mib"]
      if (process[pid ",util"] + 0 > util[i]) util[i] = process[pid ",util"] + 0
    }
    limit[i] = card[i ",limit_watts"] + 0
    power[i] = watts > limit[i] ? limit[i] : watts
    temperature[i] = card[i ",temperature"] != "" ? card[i ",temperature"] : int(28 + 50 * power[i] / limit[i])
    fault[i] = i == bad ? (mode == "gpuLost" ? "GPU is lost" : "GPU requires reset") : ""
    if (fault[i] == "") fault[i] = card[i ",fault"] == "lost" ? "GPU is lost" : card[i ",fault"] == "requiresReset" ? "GPU requires reset" : ""
    if (fault[i] == "GPU is lost") lost = 1
    if (fault[i] != "") used[i] = 0
  }
}

function free(i,    rest) { rest = card[i ",total_mib"] - card[i ",reserved_mib"] - used[i]; return rest < 0 ? 0 : rest }
