import type { LoggingMessageNotification } from '@modelcontextprotocol/client'
import type { McpLogLine } from '../../../../shared/model/mcp'
import { serverWords } from '../server-words'

const MOST_CHARS = 2_000
const LEVELS: Readonly<Record<LoggingMessageNotification['params']['level'], McpLogLine['level']>> = {
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warning: 'warning',
  error: 'error',
  critical: 'error',
  alert: 'error',
  emergency: 'error',
}

/** A log message of a server as a line of its log. */
export function logLine({ level, logger, data }: LoggingMessageNotification['params']): Omit<McpLogLine, 'at'> {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return { from: 'server', level: LEVELS[level], text: serverWords(logger === undefined ? text : `${logger}: ${text}`, MOST_CHARS) }
}
