# Without arguments: the table for people.

function printTable(    n, i, k, pid, any, rule, text, name) {
  rule = "+-----------------------------------------+------------------------+----------------------+"
  "LC_ALL=C date '+%a %b %e %H:%M:%S %Y'" | getline text
  close("LC_ALL=C date '+%a %b %e %H:%M:%S %Y'")
  print text
  print "+-----------------------------------------------------------------------------------------+"
  printf "| NVIDIA-SMI %-22s Driver Version: %-14s CUDA Version: %-9s|\n", driver(), driver(), "13.0"
  print "|-----------------------------------------+------------------------+----------------------+"
  print "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |"
  print "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |"
  print "|                                         |                        |               MIG M. |"
  print "|=========================================+========================+======================|"
  for (n = 0; n < chosen; n++) {
    i = choose[n]
    name = length(card[i ",name"]) > 25 ? substr(card[i ",name"], 1, 22) "..." : card[i ",name"]
    printf "| %3d  %-31sOn  |   %16s Off |                  Off |\n", i, name, card[i ",bus_id"]
    if (fault[i] == "GPU is lost") printf "|ERR!  ERR! ERR!             ERR! /  ERR! | %22s | %8s %11s |\n", fault[i], "ERR!", "ERR!"
    else printf "| 30%%  %3sC    %-3s         %5dW / %4dW | %7dMiB /%7dMiB | %8s %11s |\n", temperature[i], pstate(i), power[i], limit[i], used[i], card[i ",total_mib"], card[i ",mig"] == "Enabled" ? "N/A" : util[i] "%", "Default"
    printf "|                                         |                        | %20s |\n", card[i ",mig"]
    print rule
  }
  print ""
  print "+-----------------------------------------------------------------------------------------+"
  print "| Processes:                                                                              |"
  print "|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |"
  print "|        ID   ID                                                               Usage      |"
  print "|=========================================================================================|"
  for (i = 0; i < cards; i++) {
    for (k = 0; k < processes; k++) {
      pid = order[k]
      if (process[pid ",gpu"] != i || !isListed(pid)) continue
      any = 1
      name = process[pid ",name"]
      if (length(name) > 34) name = "..." substr(name, length(name) - 30)
      printf "| %4d   N/A  N/A %16d %6s   %-34s %7dMiB |\n", i, pid, process[pid ",type"] == "" ? "C" : process[pid ",type"], name, process[pid ",mib"]
    }
  }
  if (!any) print "|  No running processes found                                                             |"
  print "+-----------------------------------------------------------------------------------------+"
}
