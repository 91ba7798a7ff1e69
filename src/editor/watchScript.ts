import type { Log } from '../control/ports';
import watch from '../hosts/scripts/watch.sh';
import { shellQuote } from '../hosts/shellQuote';

/** watch.sh, told where nvidia-smi is if the user said so. A path that cannot be a path is passed over, with a line in the log. */
export function watchScript(nvidiaSmiPath: string | null, log: Log): string {
  if (nvidiaSmiPath === null) return watch;
  const quoted = shellQuote(nvidiaSmiPath);
  if (quoted !== null) return `HEADROOM_NVIDIA_SMI=${quoted}\n${watch}`;
  log.warn('The setting “headroom.nvidiaSmiPath” has a control character in it and is not used.');
  return watch;
}
