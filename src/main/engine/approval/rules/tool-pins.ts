import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { lazySchema } from '../../../../shared/lazy-schema'
import { writePrivateFile } from '../../config/write-private-file'
import type { Tool } from '../../tool/tool'
import { errorCode } from '../../../../shared/error-text'

type PinnedTool = Pick<Tool, 'name' | 'description' | 'schema' | 'server'>

/** A server's tool that has changed since the user allowed it. */
export interface ToolChange {
  /** Unified diff of its description and its input. */
  diff: string
}

/** Records of MCP tools as they were when rules first allowed them. A rule applies only while its tool is unchanged. */
export interface ToolPins {
  /** What has changed since the tool was pinned; undefined when nothing has, or it was never pinned. */
  changeOf(tool: PinnedTool): Promise<ToolChange | undefined>
  /** The user allowed the tool in its current form. */
  pin(tool: PinnedTool): void
  /** A rule allows the tool: pins it at its first use, and changes nothing later. */
  pinFirst(tool: PinnedTool): void
}

/** A call as it will be judged once the user has allowed its tool in its current form. */
export function asPinned<Call extends { toolChange?: ToolChange }>({
  toolChange: _change,
  ...call
}: Call): Omit<Call, 'toolChange'> {
  return call
}

const Pin = lazySchema(() => z.object({ server: z.string(), tool: z.string(), text: z.string() }))
const UNREADABLE = '(what you allowed cannot be read any more)\n'

/** Pins in files of the user's home, one per tool, so that two processes never overwrite each other's. */
export function createToolPins(home: string): ToolPins {
  const folder = join(home, 'tool-pins')
  const fileOf = (tool: PinnedTool): string =>
    join(
      folder,
      `${createHash('sha256')
        .update(JSON.stringify(identityOf(tool)))
        .digest('hex')}.json`,
    )

  function pinned(tool: PinnedTool): string | undefined {
    let found: string
    try {
      found = readFileSync(fileOf(tool), 'utf8')
    } catch (error) {
      return errorCode(error) === 'ENOENT' ? undefined : UNREADABLE
    }
    try {
      return Pin().parse(JSON.parse(found)).text
    } catch {
      return UNREADABLE
    }
  }

  const pins: ToolPins = {
    async changeOf(tool) {
      const before = tool.server ? pinned(tool) : undefined
      const now = textOf(tool)
      if (before === undefined || before === now) return undefined
      const { unifiedDiff } = await import('../../workspace/unified-diff')
      const { diff } = await unifiedDiff(tool.name, before, now)
      return { diff }
    },
    pin(tool) {
      if (!tool.server) return
      const [server, name] = identityOf(tool)
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writePrivateFile(fileOf(tool), `${JSON.stringify({ server, tool: name, text: textOf(tool) }, undefined, 2)}\n`)
    },
    pinFirst(tool) {
      if (tool.server && pinned(tool) === undefined) pins.pin(tool)
    },
  }
  return pins
}

/** Servers of one name in two projects are two servers. */
function identityOf({ server, name }: PinnedTool): [server: string, tool: string] {
  return server ? [server.id ?? server.name, server.tool] : ['', name]
}

/** The tool's definition as sent to the model, as comparable lines; the order of keys does not count. */
function textOf({ description, schema }: PinnedTool): string {
  return `${description}\n\nInput: ${JSON.stringify(sorted(schema ?? {}), undefined, 2)}\n`
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
