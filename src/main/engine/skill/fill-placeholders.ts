/** What the placeholders of a skill's body stand for. */
export interface Filling {
  /** All that was written behind the skill's name. */
  args: string
  /** Names for the single arguments, in order. */
  names: readonly string[]
  /** The skill's folder. */
  dir: string
}

/**
 * The body with its placeholders filled: `$ARGUMENTS`, `$0` and on (single arguments, quotes hold blanks together), `$name`, `${TRESTLE_SKILL_DIR}` and
 * `${KIMI_SKILL_DIR}`. What is filled in is not looked at again. Arguments no placeholder asks for are added at the end, so that nothing is lost.
 */
export function fillPlaceholders(body: string, { args, names, dir }: Filling): string {
  const single = splitArguments(args)
  let isUsed = false
  const filled = body.replace(/\$\{(?:TRESTLE|KIMI)_SKILL_DIR\}|\$(?:\{(\w+)\}|(\w+))/g, (whole, braced?: string, plain?: string) => {
    const name = braced ?? plain
    if (name === undefined) return dir
    const value = name === 'ARGUMENTS' ? args : /^\d{1,2}$/.test(name) ? (single[Number(name)] ?? '') : named(name)
    if (value === undefined) return whole
    isUsed = true
    return value
  })
  return isUsed || args.trim() === '' ? filled : `${filled}\n\nArguments: ${args.trim()}`

  function named(name: string): string | undefined {
    const at = names.indexOf(name)
    return at < 0 ? undefined : (single[at] ?? '')
  }
}

function splitArguments(args: string): string[] {
  return [...args.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, quoted, plain]) => double?.replace(/\\(.)/g, '$1') ?? quoted ?? plain ?? '',
  )
}
