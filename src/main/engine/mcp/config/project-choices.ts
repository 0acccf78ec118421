import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { McpServerDefinition } from '../../../../shared/model/mcp'
import { readConfigText } from '../../config/read-config-file'
import { writePrivateFile } from '../../config/write-private-file'

const Choice = z.object({ enabled: z.boolean().optional(), disabledTools: z.array(z.string()).optional() })
const Entry = z.object({ folder: z.string(), servers: z.record(z.string(), Choice) })

/** How the user has switched one server of a project, and its tools; the rest is as the project has it. */
type Choice = z.infer<typeof Choice>
type Choices = Readonly<Record<string, Choice>>

/** A project's file belongs to all who work on it, so the user's own switches are kept in the home. What cannot be read counts as no choice. */
export function readChoices(home: string, folder: string): Choices {
  const found = readConfigText(placeOf(home, folder))
  if (!('text' in found)) return {}
  try {
    const entry = Entry.safeParse(JSON.parse(found.text)).data
    return entry?.folder === folder ? entry.servers : {}
  } catch {
    return {}
  }
}

export function writeChoice(home: string, folder: string, name: string, choice: Choice): void {
  mkdirSync(join(home, 'mcp-choices'), { recursive: true, mode: 0o700 })
  const servers = { ...readChoices(home, folder), [name]: choice }
  writePrivateFile(placeOf(home, folder), `${JSON.stringify({ folder, servers }, undefined, 2)}\n`)
}

export function withChoice(definition: McpServerDefinition, choice: Choice | undefined): McpServerDefinition {
  return {
    ...definition,
    enabled: choice?.enabled ?? definition.enabled,
    disabledTools: choice?.disabledTools ?? definition.disabledTools,
  }
}

function placeOf(home: string, folder: string): string {
  return join(home, 'mcp-choices', `${createHash('sha256').update(folder).digest('hex').slice(0, 40)}.json`)
}
