import { nearest } from '../../../shared/nearest'
import { TOOL_LIST } from '../tool/tool-list'

/**
 * Tools of Kimi CLI's agent files, by the last part of `module:Class`, where ours have other names. Those that have no counterpart lead to null: a file that
 * names them means nothing that could be missing.
 */
const SOURCE_TOOLS: Readonly<Record<string, string | null>> = {
  Task: 'Agent',
  SetTodoList: 'TodoList',
  Shell: 'Bash',
  CMD: 'Bash',
  Powershell: 'Bash',
  ReadFile: 'Read',
  WriteFile: 'Write',
  StrReplaceFile: 'Edit',
  PatchFile: 'Patch',
  SearchWeb: 'WebSearch',
  Think: null,
}

/** The tool that a spec means: our own name, one of a server (`mcp__…`), or `module:Class` of the source's files. Undefined: no such tool; null: none is needed. */
export function toolNamed(written: string): string | null | undefined {
  if (written.startsWith('mcp__') || isTool(written)) return written
  const last = written.slice(written.lastIndexOf(':') + 1)
  if (last in SOURCE_TOOLS) return SOURCE_TOOLS[last]
  return written.includes(':') && isTool(last) ? last : undefined
}

/** What is said of a tool that does not exist. */
export function unknownTool(name: string): string {
  const last = name.slice(name.lastIndexOf(':') + 1)
  const [near] = nearest(
    last,
    TOOL_LIST.map((tool) => tool.name),
    1,
  )
  return `There is no tool "${name.slice(0, 80)}".${near === undefined ? '' : ` Did you mean ${near}?`}`
}

function isTool(name: string): boolean {
  return TOOL_LIST.some((tool) => tool.name === name)
}
