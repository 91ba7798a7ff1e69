# What the stand-in nvidia-smi prints of the cards in a state folder. Plain POSIX awk: runs in mawk, busybox awk and gawk.
# Arguments come by the environment (see nvidia-smi), so that no backslash in a name is interpreted on the way.

BEGIN {
  state = ENVIRON["STATE"]; mode = ENVIRON["MODE"]; form = ENVIRON["FORM"]
  settle = 1.2 # seconds in which power covers 63 % of the way to its load
  every = ENVIRON["EVERY_MS"]

  readCards()
  chooseCards(ENVIRON["IDS"])
  readFormat(ENVIRON["FORMAT"])
  if (form == "help") help()
  if (form == "gpus") {
    checkFields(ENVIRON["FIELDS"])
    if (header) print headerLine()
  }
  if (form == "apps") {
    checkAppFields(ENVIRON["FIELDS"])
    if (header) print headerLine()
  }
  for (;;) {
    lost = 0
    readProcesses()
    measure()
    if (form == "gpus") printGpus()
    else if (form == "apps") printApps()
    else if (form == "list") printList()
    else if (form == "xml") printXml()
    else printTable()
    if (every == "") exit lost ? 15 : 0
    fflush()
    if (system("exec sleep " every / 1000) != 0) exit 0
    readCards()
  }
}
