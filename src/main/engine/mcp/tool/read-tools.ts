import { cleanSchema, type InputSchema } from './clean-schema'
import type { ToolAnnotations } from '../../tool/tool'
import { readParamHeaders, type ParamHeader } from './param-headers'
import { isRecord } from '../../../../shared/json-fields'
import { cutText } from '../../../../shared/cut-text'

/** A tool as a server lists it, cleaned and bounded. Plain data: it is kept on disk. */
export interface ListedTool {
  /** The server's name for it. */
  name: string
  title?: string
  description: string
  inputSchema: InputSchema
  annotations: ToolAnnotations
  saysDestructive: boolean
  /** It can only be called as a task of the protocol: the call starts the task, and the result is requested later. */
  needsTask?: true
  /** Input values that are also sent as headers. */
  headers?: ParamHeader[]
  /** Why it cannot be offered. */
  problem?: string
}

const LONGEST_NAME = 256
const LONGEST_DESCRIPTION = 16_000
const LONGEST_TITLE = 200

/**
 * The tools of a `tools/list` response. Each is read separately: an unusable tool is kept with its problem and does not
 * affect the others. `notes` reports what was left out entirely. `takesHeaders`: see `Connection`.
 */
export function readTools(items: readonly unknown[], takesHeaders = false): { tools: ListedTool[]; notes: string[] } {
  const tools = new Map<string, ListedTool>()
  const notes: string[] = []
  for (const [index, item] of items.entries()) {
    if (!isRecord(item) || typeof item['name'] !== 'string' || item['name'].trim() === '') {
      notes.push(`Tool number ${index + 1} has no name and is left out.`)
      continue
    }
    const name = item['name']
    if (name.length > LONGEST_NAME)
      notes.push(`Tool number ${index + 1} has a name of ${name.length} characters and is left out.`)
    else if (tools.has(name)) notes.push(`There are two tools called ${JSON.stringify(name)}; the first is used.`)
    else tools.set(name, readTool(name, item, takesHeaders))
  }
  return { tools: [...tools.values()], notes }
}

function readTool(name: string, item: Record<string, unknown>, takesHeaders: boolean): ListedTool {
  const cleaned = cleanSchema(item['inputSchema'])
  const hints = isRecord(item['annotations']) ? item['annotations'] : {}
  const readOnly = hints['readOnlyHint'] === true
  const title = plain(item['title'], LONGEST_TITLE) ?? plain(hints['title'], LONGEST_TITLE)
  const needsTask = isRecord(item['execution']) && item['execution']['taskSupport'] === 'required'
  const asked = takesHeaders ? readParamHeaders(item['inputSchema']) : { headers: [] }
  const problem = 'problem' in cleaned ? cleaned.problem : 'problem' in asked ? asked.problem : undefined
  return {
    name,
    ...(title !== undefined && { title }),
    description: plain(item['description'], LONGEST_DESCRIPTION) ?? '',
    inputSchema: 'schema' in cleaned ? cleaned.schema : { type: 'object', properties: {} },
    annotations: {
      readOnly,
      destructive: !readOnly && hints['destructiveHint'] !== false,
      idempotent: hints['idempotentHint'] === true,
      openWorld: hints['openWorldHint'] !== false,
    },
    saysDestructive: !readOnly && hints['destructiveHint'] === true,
    ...(needsTask && { needsTask }),
    ...('headers' in asked && asked.headers.length > 0 && { headers: asked.headers }),
    ...(problem !== undefined && { problem }),
  }
}

/** Text without control and invisible characters: users and models should read the same. */
export function plain(value: unknown, longest: number): string | undefined {
  if (typeof value !== 'string') return undefined
  const clean = value
    .toWellFormed()
    .replaceAll(/[^\P{Cc}\t\n]/gu, '')
    .replaceAll(/[\u200b\u2060-\u2064\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}\ufeff]/gu, '')
    .trim()
  if (clean === '') return undefined
  return clean.length > longest ? `${cutText(clean, longest)}…` : clean
}
