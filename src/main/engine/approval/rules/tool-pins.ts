import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writePrivateFile } from '../../config/write-private-file'
import type { Tool } from '../../tool/tool'

type PinnedTool = Pick<Tool, 'name' | 'description' | 'schema' | 'server'>

/** A server's tool is not what it was when the user allowed it. */
export interface ToolChange {
  /** Unified diff of its description and its input. */
  diff: string
}

/** What tools of MCP servers were when rules began to allow them. A rule holds only as long as its tool stays as it was. */
export interface ToolPins {
  /** What has changed since the tool was pinned; undefined when nothing has, or it never was. */
  changeOf(tool: PinnedTool): Promise<ToolChange | undefined>
  /** The user allowed the tool as it is now. */
  pin(tool: PinnedTool): void
  /** A rule allows the tool: it is pinned at its first use, and left alone later. */
  pinFirst(tool: PinnedTool): void
}

/** A call as it will be judged once the user has allowed its tool as it is now. */
export function asPinned<Call extends { toolChange?: ToolChange }>({
  toolChange: _change,
  ...call
}: Call): Omit<Call, 'toolChange'> {
  return call
}

const Pin = z.object({ server: z.string(), tool: z.string(), text: z.string() })
const UNREADABLE = '(what you allowed cannot be read any more)\n'

/** Pins in files of the user's home, one a tool, so that two processes never overwrite each other's. */
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
      return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? undefined : UNREADABLE
    }
    try {
      return Pin.parse(JSON.parse(found)).text
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

/** What the model is told of a tool, as lines that can be compared; the order of keys does not count. */
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
