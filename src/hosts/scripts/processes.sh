# Prints the processes of this host, once. Deciding who belongs to an attempt is done where it can be tested, in
# src/core/job/process/members.ts; src/core/job/process/processTable.ts reads what stands here:
#
#   self=PID, boot=ID                the shell of this script, and which boot of the machine this is
#   /proc/PID/stat:…                 as the kernel prints it; a name with line feeds makes it several lines of one path
#   /proc/PID/status:Uid:…           the owner. Not that of the folder: of a process that may not be dumped, root owns it
#   /proc/PID/cgroup:headroom-ID.scope     which attempt's own cgroup it is in
#   /proc/PID/environ:HEADROOM_ATTEMPT=ID  which attempt's environment it began with, where we may read that
#   end=                             without it, the table was cut off
#
# A few forks in all, however many processes there are. grep puts the path before each line, so that no name of a process
# can pretend to be another one.
exec 2>/dev/null
LC_ALL=C
export LC_ALL
unset GREP_OPTIONS
set +Cefu

marker='^HEADROOM_ATTEMPT=[A-Za-z0-9._-]*'

# What nothing in the environment but the marker's own value may reach: the rest holds people's secrets.
tell_markers() {
  # Code 2: no option -z, as in some builds of busybox. Other errors do not make a grep without a match say so, for -s.
  if grep -z x /dev/null || [ $? = 1 ]; then
    grep -asoz "$marker" /proc/[0-9]*/environ /dev/null | tr '\0' '\n'
    return
  fi
  for environ in /proc/[0-9]*/environ; do
    [ -r "$environ" ] && tr '\0' '\n' <"$environ" | grep -aso "$marker" | sed "s|^|$environ:|"
  done
}

read -r boot </proc/sys/kernel/random/boot_id
printf '%s\n' "self=$$" "boot=$boot"
grep -as '' /proc/[0-9]*/stat /dev/null
grep -as '^Uid:' /proc/[0-9]*/status /dev/null
grep -aso 'headroom-[A-Za-z0-9._-]*\.scope' /proc/[0-9]*/cgroup /dev/null
tell_markers
printf 'end=\n'
