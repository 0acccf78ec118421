import { basename, sep } from 'node:path'
import type { McpImportServer } from '../../../../shared/model/mcp-import'
import { isRecord } from '../config/definition-reader'
import type { AskedInput } from './read-import'

/** `${input:id}` of VS Code. */
const INPUT = /\$\{input:([^}]+)\}/g

/** A server with what stands for its project put in, since from now on it belongs to none. */
export function placed(raw: unknown, folder: string | undefined): unknown {
  if (folder === undefined) return raw
  const changed = mapTexts(raw, (text) =>
    text
      .replaceAll('${workspaceFolder}', folder)
      .replaceAll('${workspaceFolderBasename}', basename(folder))
      .replace(/\$\{(?:pathSeparator|\/)\}/g, sep),
  )
  return isRecord(changed) && changed['command'] !== undefined && changed['cwd'] === undefined ? { ...changed, cwd: folder } : changed
}

/** Puts in what the user typed; what was left empty is what the file has for that, or becomes a variable of the environment. */
export function fillIn(raw: unknown, inputs: readonly AskedInput[], values: Readonly<Record<string, string>>): unknown {
  return mapTexts(raw, (text) =>
    text.replace(INPUT, (_whole, id: string) => {
      const typed = Object.hasOwn(values, id) ? values[id] : undefined
      const fallback = inputs.find((input) => input.id === id)?.fallback
      return typed || (fallback ?? `\${${variableFor(id)}}`)
    }),
  )
}

/** The values this server asks for, each once. */
export function inputsOf(raw: unknown, inputs: readonly AskedInput[]): McpImportServer['inputs'] {
  const ids = new Set<string>()
  mapTexts(raw, (text) => {
    for (const [, id] of text.matchAll(INPUT)) ids.add(id!)
    return text
  })
  return [...ids].map((id) => {
    const { label, isSecret, fallback } = inputs.find((input) => input.id === id) ?? { label: id, isSecret: true }
    return { id, label, isSecret, ...(fallback === undefined ? { variable: variableFor(id) } : { fallback }) }
  })
}

function variableFor(id: string): string {
  return id
    .toUpperCase()
    .replace(/\W/g, '_')
    .replace(/^(?=\d)/, '_')
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change))
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)])) : value
}
