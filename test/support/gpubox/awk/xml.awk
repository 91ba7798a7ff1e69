# -q -x, in the form of nvsmi_device_v13.dtd; of its several hundred elements, those about state.

function escape(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text); return text }
function element(depth, name, value,    indent) { while (depth-- > 0) indent = indent "\t"; print indent "<" name ">" value "</" name ">" }
function value(i, text, unit) { return fault[i] != "" ? fault[i] : unit == "" ? text : text " " unit }
function orNone(text) { return text ~ /^\[/ ? substr(text, 2, length(text) - 2) : text }

function printXml(    n, k, i, pid) {
  print "<?xml version=\"1.0\" ?>"
  print "<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v13.dtd\">"
  print "<nvidia_smi_log>"
  "LC_ALL=C date '+%a %b %e %H:%M:%S %Y'" | getline n
  close("LC_ALL=C date '+%a %b %e %H:%M:%S %Y'")
  element(1, "timestamp", n); element(1, "driver_version", driver()); element(1, "cuda_version", "13.0"); element(1, "attached_gpus", cards)
  for (n = 0; n < chosen; n++) {
    i = choose[n]
    print "\t<gpu id=\"" card[i ",bus_id"] "\">"
    element(2, "product_name", escape(card[i ",name"]))
    print "\t\t<mig_mode>"; element(3, "current_mig", value(i, card[i ",mig"])); element(3, "pending_mig", value(i, card[i ",mig"])); print "\t\t</mig_mode>"
    print "\t\t<mig_devices>"; print "\t\t\tNone"; print "\t\t</mig_devices>"
    element(2, "uuid", card[i ",uuid"]); element(2, "minor_number", i); element(2, "fan_speed", value(i, 30, "%"))
    print "\t\t<fb_memory_usage>"
    element(3, "total", orNone(withUnit(cell(i, "memory.total"), "MiB"))); element(3, "reserved", orNone(withUnit(cell(i, "memory.reserved"), "MiB")))
    element(3, "used", orNone(withUnit(cell(i, "memory.used"), "MiB"))); element(3, "free", orNone(withUnit(cell(i, "memory.free"), "MiB")))
    print "\t\t</fb_memory_usage>"
    print "\t\t<bar1_memory_usage>"; element(3, "total", value(i, 131072, "MiB")); element(3, "used", value(i, 7, "MiB")); element(3, "free", value(i, 131065, "MiB")); print "\t\t</bar1_memory_usage>"
    print "\t\t<utilization>"; element(3, "gpu_util", orNone(withUnit(cell(i, "utilization.gpu"), "%"))); element(3, "memory_util", orNone(withUnit(cell(i, "utilization.memory"), "%"))); print "\t\t</utilization>"
    print "\t\t<temperature>"; element(3, "gpu_temp", value(i, temperature[i], "C")); element(3, "gpu_temp_tlimit", value(i, 92 - temperature[i], "C")); element(3, "memory_temp", "N/A"); print "\t\t</temperature>"
    print "\t\t<gpu_power_readings>"
    element(3, "power_state", value(i, pstate(i)))
    element(3, "average_power_draw", value(i, sprintf("%.2f", power[i]), "W")); element(3, "instant_power_draw", value(i, sprintf("%.2f", power[i]), "W"))
    element(3, "current_power_limit", value(i, sprintf("%.2f", limit[i]), "W")); element(3, "requested_power_limit", value(i, sprintf("%.2f", limit[i]), "W"))
    print "\t\t</gpu_power_readings>"
    print "\t\t<module_power_readings>"; element(3, "average_power_draw", "N/A"); element(3, "instant_power_draw", "N/A"); element(3, "current_power_limit", "N/A"); print "\t\t</module_power_readings>"
    print "\t\t<processes>"
    for (k = 0; k < processes; k++) {
      pid = order[k]
      if (process[pid ",gpu"] != i || !isListed(pid)) continue
      print "\t\t\t<process_info>"
      element(4, "gpu_instance_id", "N/A"); element(4, "compute_instance_id", "N/A"); element(4, "pid", pid)
      element(4, "type", process[pid ",type"] == "" ? "C" : process[pid ",type"])
      element(4, "process_name", escape(process[pid ",name"])); element(4, "used_memory", process[pid ",mib"] + 0 " MiB")
      print "\t\t\t</process_info>"
    }
    print "\t\t</processes>"
    print "\t</gpu>"
  }
  print "</nvidia_smi_log>"
}
