# -L

function printList(    n, i, at, mig) {
  for (n = 0; n < chosen; n++) {
    i = choose[n]
    if (fault[i] == "GPU is lost") {
      print "Unable to determine the device handle for GPU" substr(card[i ",bus_id"], 5) ": GPU is lost.  Reboot the system to recover this GPU"
      continue
    }
    print "GPU " i ": " card[i ",name"] " (UUID: " card[i ",uuid"] ")"
    if (card[i ",mig"] != "Enabled") continue
    # mig.<n>=<profile> <uuid>
    for (at = 0; (i ",mig." at) in card; at++) {
      split(card[i ",mig." at], mig, " ")
      printf "  MIG %-11s Device %2d: (UUID: %s)\n", mig[1], at, mig[2]
    }
  }
}
