import type { FileSymbol } from '../../../../shared/model/project/file-view'
import { cutText } from '../../../../shared/cut-text'

type Kind = FileSymbol['kind']

/**
 * How a line that declares one kind of symbol starts. The first group is its name; `depth` is taken from the
 * indentation.
 */
type Rule = readonly [kind: Kind, pattern: RegExp]

const MAX_SYMBOLS = 5_000
/** Longer lines are skipped: they do not declare anything worth listing. */
const MAX_LINE_CHARS = 400

const NAME = String.raw`([\p{L}_$][\p{L}\p{N}_$]*)`
const at = (source: string): RegExp => new RegExp(String.raw`^\s*${source.replaceAll('NAME', NAME)}`, 'u')

const SCRIPT: readonly Rule[] = [
  ['class', at(String.raw`(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?class\s+NAME`)],
  ['type', at(String.raw`(?:export\s+)?(?:declare\s+)?(?:const\s+)?(?:interface|enum|namespace|module)\s+NAME`)],
  ['type', at(String.raw`(?:export\s+)?(?:declare\s+)?type\s+NAME(?:<[^=]*>)?\s*=`)],
  ['function', at(String.raw`(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:async\s+)?function\s*\*?\s*NAME`)],
  [
    'function',
    at(
      String.raw`(?:export\s+)?(?:const|let|var)\s+NAME\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|(?:<[^>]*>\s*)?\([^)]*$|(?:<[^>]*>\s*)?\([^)]*\)\s*(?::[^=]+)?=>|[\p{L}_$][\p{L}\p{N}_$]*\s*=>)`,
    ),
  ],
  ['value', /^export\s+(?:const|let|var)\s+([\p{L}_$][\p{L}\p{N}_$]*)/u],
  [
    'method',
    /^\s+(?:(?:public|private|protected|static|readonly|override|async|get|set)\s+)*\*?(#?[\p{L}_$][\p{L}\p{N}_$]*)\s*(?:<[^>]*>)?\([^;]*\)\s*(?::\s*[^;{]+)?\{\s*$/u,
  ],
]
const PYTHON: readonly Rule[] = [
  ['class', at('class\\s+NAME')],
  ['function', at('(?:async\\s+)?def\\s+NAME')],
  ['value', /^([A-Z][A-Z0-9_]*)\s*(?::[^=]+)?=/],
]
const GO: readonly Rule[] = [
  ['method', /^func\s*\([^)]*\)\s*([\p{L}_][\p{L}\p{N}_]*)/u],
  ['function', /^func\s+([\p{L}_][\p{L}\p{N}_]*)/u],
  ['type', /^type\s+([\p{L}_][\p{L}\p{N}_]*)/u],
  ['value', /^(?:var|const)\s+([\p{L}_][\p{L}\p{N}_]*)/u],
]
const RUST: readonly Rule[] = [
  [
    'function',
    at(
      String.raw`(?:pub(?:\([^)]*\))?\s+)?(?:default\s+)?(?:const\s+)?(?:async\s+)?(?:unsafe\s+)?(?:extern\s+"[^"]*"\s+)?fn\s+NAME`,
    ),
  ],
  ['class', at(String.raw`impl(?:<[^>]*>)?\s+((?:[\p{L}\p{N}_:<>, ]+\s+for\s+)?[\p{L}\p{N}_:<>]+)`)],
  ['type', at(String.raw`(?:pub(?:\([^)]*\))?\s+)?(?:struct|enum|trait|union|type|mod)\s+NAME`)],
  ['value', at(String.raw`(?:pub(?:\([^)]*\))?\s+)?(?:static|const)\s+(?:mut\s+)?NAME\s*:`)],
  ['function', at(String.raw`macro_rules!\s+NAME`)],
]
const C_LIKE: readonly Rule[] = [
  [
    'class',
    at(
      String.raw`(?:(?:public|private|protected|internal|static|final|abstract|sealed|partial|open|data|export|template<[^>]*>)\s+)*(?:class|record|object)\s+NAME`,
    ),
  ],
  [
    'type',
    at(
      String.raw`(?:(?:public|private|protected|internal|static|typedef|export|sealed|fun)\s+)*(?:interface|struct|enum(?:\s+class)?|union|trait|protocol|extension|namespace)\s+NAME`,
    ),
  ],
  [
    'function',
    at(
      String.raw`(?:(?:public|private|protected|internal|static|final|override|open|suspend|inline|mutating|class)\s+)*(?:fun|func)\s+(?:<[^>]*>\s*)?(?:[\p{L}\p{N}_<>]+\.)?NAME`,
    ),
  ],
  [
    'method',
    /^\s*(?:(?:public|private|protected|internal|static|final|abstract|override|virtual|async|synchronized|inline|constexpr|extern|unsigned|const)\s+)*(?!return\b|else\b|new\b|throw\b|case\b|if\b|while\b|for\b|switch\b)[\p{L}_][\p{L}\p{N}_:<>,*&\][?]*(?:\s+|\s*[*&]\s*)(~?[\p{L}_][\p{L}\p{N}_:~]*)\s*\([^;]*\)?\s*(?:const|noexcept|override|throws\s+[\w., ]+)?\s*\{?\s*$/u,
  ],
]
const RUBY: readonly Rule[] = [
  ['class', /^\s*class\s+([A-Z][\w:]*)/],
  ['type', /^\s*module\s+([A-Z][\w:]*)/],
  ['method', /^\s*def\s+((?:self\.)?[\w]+[?!=]?)/],
]
const PHP: readonly Rule[] = [
  ['class', /^\s*(?:(?:abstract|final|readonly)\s+)*class\s+(\w+)/],
  ['type', /^\s*(?:interface|trait|enum)\s+(\w+)/],
  ['function', /^\s*(?:(?:public|private|protected|static|abstract|final)\s+)*function\s+&?(\w+)/],
]
const SHELL: readonly Rule[] = [
  ['function', /^\s*(?:function\s+)?([\w:-]+)\s*\(\)\s*\{?/],
  ['function', /^\s*function\s+([\w:-]+)/],
]
const LUA: readonly Rule[] = [['function', /^\s*(?:local\s+)?function\s+([\w.:]+)/]]
const ELIXIR: readonly Rule[] = [
  ['type', /^\s*defmodule\s+([\w.]+)/],
  ['function', /^\s*defp?\s+([\w?!]+)/],
]
const SQL: readonly Rule[] = [
  [
    'type',
    /^\s*create\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+)?(?:table|view|materialized\s+view|type)\s+(?:if\s+not\s+exists\s+)?([\w."]+)/i,
  ],
  ['function', /^\s*create\s+(?:or\s+replace\s+)?(?:function|procedure|trigger)\s+([\w."]+)/i],
]
const CSS: readonly Rule[] = [
  ['section', /^([^\s@}/][^{};]*)\{\s*$/],
  ['section', /^(@[\w-]+[^{;]*)\{\s*$/],
]
const INI: readonly Rule[] = [['section', /^\s*\[\[?([^\]]+)\]\]?\s*(?:#.*)?$/]]
const YAML: readonly Rule[] = [['section', /^([\w."'-][^:#]*):(?:\s|$)/]]
const MAKE: readonly Rule[] = [['section', /^([\w./%-]+(?:\s+[\w./%-]+)*)\s*:(?!=)/]]

const LANGUAGES: readonly (readonly [endings: string, rules: readonly Rule[]])[] = [
  ['ts tsx mts cts js jsx mjs cjs vue svelte', SCRIPT],
  ['py pyi', PYTHON],
  ['go', GO],
  ['rs', RUST],
  ['c h cc cpp cxx hpp hh java kt kts cs swift scala dart m mm', C_LIKE],
  ['rb rake gemspec', RUBY],
  ['php', PHP],
  ['sh bash zsh fish', SHELL],
  ['lua', LUA],
  ['ex exs', ELIXIR],
  ['sql', SQL],
  ['css scss less', CSS],
  ['ini toml cfg conf', INI],
  ['yaml yml', YAML],
  ['mk', MAKE],
]

/** Words that look like a method's name in front of parentheses. */
const NOT_NAMES = new Set('if for while switch catch return function with do else try'.split(' '))

/**
 * The symbols of a file, found line by line: classes, functions, types and sections. It knows the usual forms in common
 * languages; undefined for other languages.
 */
export function outlineOf(path: string, lines: readonly string[]): FileSymbol[] | undefined {
  const name = path.split(/[\\/]/).at(-1)?.toLowerCase() ?? ''
  const ending = name.slice(name.lastIndexOf('.') + 1)
  if (ending === 'md' || ending === 'markdown' || ending === 'mdx') return headings(lines)
  const rules = name === 'makefile' ? MAKE : LANGUAGES.find(([endings]) => endings.split(' ').includes(ending))?.[1]
  if (!rules) return undefined
  const found: (Omit<FileSymbol, 'depth'> & { indent: number })[] = []
  for (const [index, line] of lines.entries()) {
    if (line.length === 0 || line.length > MAX_LINE_CHARS) continue
    const symbol = symbolOf(line, rules)
    if (!symbol) continue
    found.push({ ...symbol, line: index + 1, indent: indentOf(line) })
    if (found.length === MAX_SYMBOLS) break
  }
  return withDepths(found)
}

function symbolOf(line: string, rules: readonly Rule[]): { name: string; kind: Kind } | undefined {
  for (const [kind, pattern] of rules) {
    const name = pattern.exec(line)?.[1]?.trim()
    if (name !== undefined && name !== '' && !NOT_NAMES.has(name)) return { name: cutText(name, 120), kind }
  }
  return undefined
}

function headings(lines: readonly string[]): FileSymbol[] {
  const found: FileSymbol[] = []
  let fence: string | undefined
  for (const [index, line] of lines.entries()) {
    const mark = /^\s{0,3}(```+|~~~+)/.exec(line)?.[1]?.slice(0, 3)
    if (mark !== undefined) fence = fence === undefined ? mark : fence === mark ? undefined : fence
    if (fence !== undefined) continue
    const [, level, name] = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line.slice(0, MAX_LINE_CHARS)) ?? []
    if (level === undefined || name === undefined || name === '') continue
    found.push({ name, kind: 'section', line: index + 1, depth: level.length - 1 })
    if (found.length === MAX_SYMBOLS) break
  }
  const least = Math.min(...found.map(({ depth }) => depth))
  return found.map((each) => ({ ...each, depth: each.depth - least }))
}

function indentOf(line: string): number {
  const white = /^\s*/.exec(line)?.[0] ?? ''
  return white.replaceAll('\t', '    ').length
}

/** Sets depths: a symbol belongs to the nearest earlier one that is indented less. */
function withDepths(found: readonly (Omit<FileSymbol, 'depth'> & { indent: number })[]): FileSymbol[] {
  const open: number[] = []
  return found.map(({ indent, ...symbol }) => {
    while (open.length > 0 && (open.at(-1) ?? 0) >= indent) open.pop()
    const depth = open.length
    open.push(indent)
    return { ...symbol, depth }
  })
}
