# Tells of all attempts on this machine. place.sh and records.sh stand before it.
# shellcheck disable=SC2154 # place.sh assigns them

# The attempts of the machine $1, which is this one, or what this container was called before it booted again.
tell_all() {
  tell_machine "$1"
  if cd -P "$folder/$1/jobs"; then tell_attempts . [0-9a-z]*; fi
}

list_attempts() {
  if ! find_place look; then
    printf '%s\n' 'answer=refused' "reason=$reason"
    return
  fi
  tell_all "$machine"
  [ -n "$earlier" ] || return 0
  # A boot id and the hostname: of another machine's name ours may be the end.
  for other in "$folder"/????????-????-????-????-????????????-"$earlier"; do
    other=${other##*/}
    if [ "$other" != "$machine" ] && [ -d "$folder/$other" ]; then tell_all "$other"; fi
  done
}

list_attempts
