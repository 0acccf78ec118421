import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { lazySchema } from '../../../../shared/lazy-schema'
import { writePrivateFile } from '../../config/write-private-file'
import type { Tool } from '../../tool/tool'
import { errorCode } from '../../../../shared/error-text'

type PinnedTool = Pick<Tool, 'name' | 'description' | 'schema' | 'annotations' | 'server'>

/** A server's tool that has changed since the user allowed it. */
export interface ToolChange {
  /** Unified diff of its description, its input schema and the effect that the server declares. */
  diff: string
  /** It was allowed for another server with the same name, not for this one. */
  isOtherServer?: true
}

/** Records of MCP tools as they were when rules first allowed them. A rule applies only while its tool is unchanged. */
export interface ToolPins {
  /**
   * What has changed since the tool was pinned; undefined when nothing has changed or the tool was never pinned. A
   * project's server does not get what was allowed for another server with the same name.
   */
  changeOf(tool: PinnedTool): Promise<ToolChange | undefined>
  /** Call when the user allows the tool in its current form. */
  pin(tool: PinnedTool): void
  /** Call when a rule allows the tool: pins it on first use and changes nothing later. */
  pinFirst(tool: PinnedTool): void
}

/** A call as it will be judged after the user allows its tool in its current form. */
export function asPinned<Call extends { toolChange?: ToolChange }>({
  toolChange: _change,
  ...call
}: Call): Omit<Call, 'toolChange'> {
  return call
}

/** `effect` is missing in pins of earlier versions; any effect then counts as unchanged until the next use. */
const Pin = lazySchema(() =>
  z.object({ server: z.string(), tool: z.string(), text: z.string(), effect: z.string().optional() }),
)
type Pinned = Pick<z.infer<ReturnType<typeof Pin>>, 'text' | 'effect'> & { server?: string }
const UNREADABLE: Pinned = { text: '(what you allowed can no longer be read)\n' }

/** Pins in files of the user's home, one per tool, so that processes never overwrite each other's pins. */
export function createToolPins(home: string): ToolPins {
  const folder = join(home, 'tool-pins')
  const fileOf = (identity: Identity): string =>
    join(folder, `${createHash('sha256').update(JSON.stringify(identity)).digest('hex')}.json`)

  const pinnedAs = (identity: Identity): Pinned | undefined => readPin(fileOf(identity))

  /**
   * For a tool of a project's server: the pin of another server with the same name, with its text if it is for the same
   * tool.
   */
  function pinnedForOther(tool: PinnedTool): Pinned | undefined {
    const id = tool.server?.id
    if (id === undefined || !id.startsWith('project/')) return undefined
    const tools = new Set(identitiesOf(tool).map(([, name]) => name))
    let files: string[]
    try {
      files = readdirSync(folder)
    } catch {
      return undefined
    }
    const others = files
      .map((file) => readPin(join(folder, file)))
      .filter((pin) => pin?.server !== undefined && pin.server !== id && nameIn(pin.server) === nameIn(id))
    const same = others.find((pin) => pin?.tool !== undefined && tools.has(pin.tool))
    return same ?? (others[0] && { ...others[0], text: '' })
  }

  function keep(tool: PinnedTool, identity: Identity): void {
    const [server, name] = identity
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const pin = { server, tool: name, text: textOf(tool), effect: effectOf(tool) }
    writePrivateFile(fileOf(identity), `${JSON.stringify(pin, undefined, 2)}\n`)
  }

  const pins: ToolPins = {
    async changeOf(tool) {
      if (!tool.server) return undefined
      const [now, effect] = [textOf(tool), effectOf(tool)]
      const own = identitiesOf(tool)
        .map(pinnedAs)
        .filter((pin) => pin !== undefined)
      const other = own.length === 0 ? pinnedForOther(tool) : undefined
      const before = other ?? own.find((pin) => pin.text !== now || (pin.effect ?? effect) !== effect)
      if (before === undefined) return undefined
      const { unifiedDiff } = await import('../../workspace/unified-diff')
      const placeOf = (id: string | undefined): string => (other ? `Server: ${id}\n` : '')
      const { diff } = await unifiedDiff(
        tool.name,
        `${placeOf(before.server)}${before.text}${before.effect ?? effect}\n`,
        `${placeOf(tool.server.id)}${now}${effect}\n`,
      )
      return { diff, ...(other && { isOtherServer: true }) }
    },
    pin(tool) {
      if (tool.server) for (const identity of identitiesOf(tool)) keep(tool, identity)
    },
    pinFirst(tool) {
      if (!tool.server) return
      for (const identity of identitiesOf(tool)) if (pinnedAs(identity)?.effect === undefined) keep(tool, identity)
    },
  }
  return pins
}

/** A pin; one that cannot be read differs from every tool. */
function readPin(file: string): (Pinned & { tool?: string }) | undefined {
  let found: string
  try {
    found = readFileSync(file, 'utf8')
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? undefined : UNREADABLE
  }
  try {
    return Pin().parse(JSON.parse(found))
  } catch {
    return UNREADABLE
  }
}

type Identity = [server: string, tool: string]

/**
 * What identifies a tool: the server's name for it, and the model's name, which rules use. Several of a server's names
 * can become the same name for the model, so a server cannot replace a tool by renaming it from one to the other.
 * Servers with the same name in two projects are two servers.
 */
function identitiesOf({ server, name }: PinnedTool): Identity[] {
  if (!server) return [['', name]]
  const id = server.id ?? server.name
  const ruled = /^mcp__.+?__(.+)$/s.exec(name)?.[1] ?? name
  return [[id, server.tool], ...(ruled === server.tool ? [] : [[id, ruled] satisfies Identity])]
}

/**
 * The name of a server in its id, such as `user/mail` or `project/%2Fsrv%2Fapp/my%20mail`, as rules write it: names
 * that differ only in other characters can be the same in a rule.
 */
function nameIn(id: string): string {
  return id
    .slice(id.lastIndexOf('/') + 1)
    .replaceAll(/%[0-9A-F]{2}|[^A-Za-z0-9-]/g, '_')
    .replaceAll(/_+/g, '_')
    .replaceAll(/^_|_$/g, '')
}

/** The tool's definition as sent to the model, as comparable lines; the order of keys does not count. */
function textOf({ description, schema }: PinnedTool): string {
  return `${description}\n\nInput: ${JSON.stringify(sorted(schema ?? {}), undefined, 2)}\n`
}

/** The effect that the server declares for the tool. In plan mode, it decides whether a rule for the tool applies. */
function effectOf({ annotations, server }: PinnedTool): string {
  if (annotations.readOnly) return 'It only reads.'
  return server?.saysDestructive === true ? 'It can destroy something.' : 'It can change something.'
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  )
}
