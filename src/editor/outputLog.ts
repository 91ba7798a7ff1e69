import type { LogOutputChannel } from 'vscode';
import type { Log } from '../control/ports';
import { plain } from '../core/present/plain';

const longestLine = 2000;

/** The log in the Output view. One line a message, whatever a host wrote into it. */
export function outputLog(channel: LogOutputChannel): Log {
  return {
    info: message => channel.info(plain(message, longestLine)),
    warn: message => channel.warn(plain(message, longestLine)),
    error: message => channel.error(plain(message, longestLine)),
  };
}
