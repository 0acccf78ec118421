import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AcpClient, AcpMessage } from './acp-client'

// The package's main file is dist/v1/stable/acp.js; its schema is next to dist.
const file = new URL('../../../schema/v1/schema.json', import.meta.resolve('@agentclientprotocol/sdk'))
const schema = JSON.parse(readFileSync(fileURLToPath(file), 'utf8')) as {
  $defs: Record<string, object>
  anyOf: { title: string }[]
}
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false })
const validators = new Map<string, ValidateFunction>()

const RESPONSES: Record<string, string> = {
  initialize: 'InitializeResponse',
  'session/new': 'NewSessionResponse',
  'session/load': 'LoadSessionResponse',
  'session/resume': 'ResumeSessionResponse',
  'session/list': 'ListSessionsResponse',
  'session/close': 'CloseSessionResponse',
  'session/delete': 'DeleteSessionResponse',
  'session/set_mode': 'SetSessionModeResponse',
  'session/set_config_option': 'SetSessionConfigOptionResponse',
  'session/prompt': 'PromptResponse',
}
const REQUESTS: Record<string, string> = {
  'session/update': 'SessionNotification',
  'session/request_permission': 'RequestPermissionRequest',
  'fs/read_text_file': 'ReadTextFileRequest',
  'fs/write_text_file': 'WriteTextFileRequest',
  'terminal/create': 'CreateTerminalRequest',
  'terminal/output': 'TerminalOutputRequest',
  'terminal/wait_for_exit': 'WaitForTerminalExitRequest',
  'terminal/kill': 'KillTerminalRequest',
  'terminal/release': 'ReleaseTerminalRequest',
  'elicitation/create': 'CreateElicitationRequest',
  '$/cancel_request': 'CancelRequestNotification',
}

/** Messages of an agent that violate the protocol's own schema, by method. Empty when all are valid. */
export function schemaProblems({ messages, asked }: Pick<AcpClient, 'messages' | 'asked'>): string[] {
  return messages.flatMap((message) => problemsOf(message, asked)).map((problem) => problem.slice(0, 2000))
}

function problemsOf(message: AcpMessage, asked: ReadonlyMap<number, string>): string[] {
  const text = JSON.stringify(message)
  if (message.jsonrpc !== '2.0') return [`not JSON-RPC 2.0: ${text}`]
  if (message.method !== undefined) {
    const name = REQUESTS[message.method]
    return name === undefined
      ? [`${message.method} is not a method of a client: ${text}`]
      : against(name, message.params, text)
  }
  if (message.error)
    return 'result' in message ? [`both result and error: ${text}`] : against('Error', message.error, text)
  const method = asked.get(Number(message.id))
  const name = method === undefined ? undefined : RESPONSES[method]
  return name === undefined ? [`an answer to nothing that was asked: ${text}`] : against(name, message.result, text)
}

function against(name: string, value: unknown, text: string): string[] {
  let validate = validators.get(name)
  if (!validate) validators.set(name, (validate = ajv.compile({ $defs: schema.$defs, $ref: `#/$defs/${name}` })))
  return validate(value) ? [] : [`${ajv.errorsText(validate.errors)} in ${text}`]
}
