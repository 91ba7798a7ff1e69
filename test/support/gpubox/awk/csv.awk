# --query-gpu, --query-compute-apps and --help-query-gpu.

function readFormat(format,    list, n, at) {
  header = units = 1
  n = split(format, list, ",")
  for (at = 1; at <= n; at++) {
    if (list[at] == "noheader") header = 0
    else if (list[at] == "nounits") units = 0
    else if (list[at] != "csv") { print "ERROR: Format " list[at] " is not recognized. Please run 'nvidia-smi -h' for help."; exit 2 }
  }
}

function known(names, unit,    list, n, at) {
  n = split(names, list, " ")
  for (at = 1; at <= n; at++) { unitOf[list[at]] = unit; isField[list[at]] = 1; help_[helps++] = list[at] }
}

function knowFields() {
  known("timestamp driver_version count name serial uuid pci.bus_id vbios_version index", "")
  known("persistence_mode accounting.mode driver_model.current display_mode display_active display_attached", "")
  known("pcie.link.gen.current pcie.link.gen.max pcie.link.width.current pcie.link.width.max pstate", "")
  known("compute_mode compute_cap ecc.mode.current mig.mode.current mig.mode.pending", "")
  known("temperature.gpu temperature.gpu.tlimit temperature.memory", "")
  known("memory.total memory.reserved memory.used memory.free", "MiB")
  known("fan.speed utilization.gpu utilization.memory", "%")
  known("power.draw power.draw.average power.draw.instant power.limit enforced.power.limit", "W")
  known("power.default_limit power.min_limit power.max_limit", "W")
  known("clocks.current.graphics clocks.current.sm clocks.current.memory clocks.max.sm clocks.max.memory", "MHz")
  alias["gpu_name"] = "name"; alias["gpu_uuid"] = "uuid"; alias["gpu_serial"] = "serial"; alias["gpu_bus_id"] = "pci.bus_id"
  alias["clocks.gr"] = "clocks.current.graphics"; alias["clocks.sm"] = "clocks.current.sm"; alias["clocks.mem"] = "clocks.current.memory"
}

function checkFields(list,    at) {
  knowFields()
  # A driver from before these were there.
  if (mode == "invalidField") { delete isField["mig.mode.current"]; delete isField["mig.mode.pending"]; delete isField["enforced.power.limit"] }
  takeFields(list)
}

function checkAppFields(list) {
  known("timestamp gpu_name gpu_bus_id gpu_serial gpu_uuid pid process_name", "")
  known("used_gpu_memory", "MiB")
  alias["name"] = "process_name"; alias["used_memory"] = "used_gpu_memory"
  takeFields(list)
}

function takeFields(list,    at) {
  columns = split(list, column, ",")
  for (at = 1; at <= columns; at++) {
    gsub(/^ +| +$/, "", column[at])
    if (column[at] in alias) column[at] = alias[column[at]]
    if (!(column[at] in isField)) { print "Field \"" column[at] "\" is not a valid field to query."; exit 2 }
  }
}

function headerLine(    at, line) {
  for (at = 1; at <= columns; at++) line = line (at > 1 ? ", " : "") column[at] (unitOf[column[at]] == "" ? "" : " [" unitOf[column[at]] "]")
  return line
}

function withUnit(value, unit) { return value ~ /^\[/ || !units || unit == "" ? value : value " " unit }

function stamp(    line) {
  "date '+%Y/%m/%d %H:%M:%S'" | getline line
  close("date '+%Y/%m/%d %H:%M:%S'")
  return line "." sprintf("%03d", (uptime() * 1000) % 1000)
}

function printGpus(    n, at, line, now) {
  now = stampIfAsked()
  for (n = 0; n < chosen; n++) {
    line = ""
    for (at = 1; at <= columns; at++) line = line (at > 1 ? ", " : "") withUnit(cell(choose[n], column[at], now), unitOf[column[at]])
    print line
  }
}

function stampIfAsked(    at) { for (at = 1; at <= columns; at++) if (column[at] == "timestamp") return stamp(); return "" }

function cell(i, field, now) {
  if (field == "timestamp") return now
  if (field == "index") return i
  if (field == "count") return cards
  if (field == "uuid") return card[i ",uuid"]
  if (field == "name") return card[i ",name"]
  if (field == "pci.bus_id") return card[i ",bus_id"]
  if (field == "driver_version") return driver()
  # A card that waits for a reset still says how much memory it has, and that none is used.
  if (fault[i] != "" && !(fault[i] == "GPU requires reset" && field ~ /^memory\./)) return "[" fault[i] "]"
  if (field == "memory.total") return card[i ",total_mib"]
  if (field == "memory.reserved") return card[i ",reserved_mib"]
  if (field == "memory.used") return used[i]
  if (field == "memory.free") return free(i)
  if (field == "utilization.gpu") return card[i ",mig"] == "Enabled" ? "[N/A]" : util[i]
  if (field == "utilization.memory") return card[i ",mig"] == "Enabled" ? "[N/A]" : int(util[i] * 0.4)
  if (field == "temperature.gpu") return temperature[i]
  if (field == "temperature.gpu.tlimit") return 92 - temperature[i]
  if (field == "temperature.memory") return "N/A"
  if (field ~ /^power\.draw/) return sprintf("%.2f", power[i])
  if (field == "power.min_limit") return sprintf("%.2f", 150)
  if (field ~ /power\..*limit$/) return sprintf("%.2f", limit[i])
  if (field ~ /^mig\.mode/) return card[i ",mig"]
  if (field == "fan.speed") return 30
  if (field == "pstate") return pstate(i)
  if (field ~ /^clocks\.max\.sm/) return 3090
  if (field ~ /^clocks\.(max|current)\.memory/) return pstate(i) == "P8" && field ~ /current/ ? 405 : 14001
  if (field ~ /^clocks\.current/) return pstate(i) == "P8" ? 180 : 2617
  if (field == "persistence_mode") return "Enabled"
  if (field == "compute_mode") return "Default"
  if (field == "compute_cap") return "12.0"
  if (field == "ecc.mode.current") return "Disabled"
  if (field ~ /^pcie\.link\.gen/) return 5
  if (field ~ /^pcie\.link\.width/) return 16
  if (field == "display_active") return "Disabled"
  if (field == "display_attached") return "No"
  if (field == "display_mode") return "[Requested functionality has been deprecated]"
  if (field == "vbios_version") return "98.02.55.00.02"
  return "[N/A]"
}

function driver() { return "580.95.05" }
function pstate(i) { return util[i] > 0 || power[i] > 2 * card[i ",idle_watts"] ? "P1" : "P8" }

function isChosen(i,    n) { for (n = 0; n < chosen; n++) if (choose[n] == i) return 1; return 0 }
function isListed(pid) { return process[pid ",alive"] && isChosen(process[pid ",gpu"]) && fault[process[pid ",gpu"]] == "" }

function printApps(    i, n, at, pid, line, now) {
  now = stampIfAsked()
  for (i = 0; i < cards; i++) {
    for (n = 0; n < processes; n++) {
      pid = order[n]
      if (process[pid ",gpu"] != i || !isListed(pid) || process[pid ",type"] == "G") continue
      line = ""
      for (at = 1; at <= columns; at++) line = line (at > 1 ? ", " : "") withUnit(appCell(i, pid, column[at], now), unitOf[column[at]])
      print line
    }
  }
}

function appCell(i, pid, field, now,    name) {
  if (field == "timestamp") return now
  if (field == "gpu_name") return card[i ",name"]
  if (field == "gpu_bus_id") return card[i ",bus_id"]
  if (field == "gpu_uuid") return card[i ",uuid"]
  if (field == "pid") return pid
  if (field == "used_gpu_memory") return process[pid ",mib"] + 0
  if (field == "process_name") { name = process[pid ",name"]; gsub(/,/, "?", name); return name } # as recent drivers do
  return "[N/A]"
}

function help(    at) {
  knowFields()
  print "List of valid properties to query for the switch \"--query-gpu=\":"
  print ""
  for (at = 0; at < helps; at++) { print "\"" help_[at] "\""; print "" }
  exit 0
}
