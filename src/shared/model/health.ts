/** One thing that has to be right for Trestle to work, with what was found. */
export interface HealthCheck {
  id: string
  title: string
  /** `warning`: it works, with something missing. `failed`: something does not work until it is corrected. */
  status: 'ok' | 'warning' | 'failed'
  /** What was found: the cause, where something is wrong. */
  detail: string
  /** What to do about it. */
  remedy?: string
}

/** What someone who helps needs to know of an installation. It holds no secrets. */
export interface DiagnosticsReport {
  /** ms since 1970. */
  at: number
  sections: { title: string; facts: { name: string; value: string }[] }[]
  checks: HealthCheck[]
  /** The newest entries of the log, oldest first. */
  errors: { at: string; message: string }[]
}

const MARKS: Readonly<Record<HealthCheck['status'], string>> = { ok: 'ok', warning: 'warning', failed: 'FAILED' }

/** The report as text, for a message or an issue. */
export function diagnosticsText({ at, sections, checks, errors }: DiagnosticsReport): string {
  const lines = [`Trestle diagnostics, ${new Date(at).toISOString()}`]
  for (const { title, facts } of sections) lines.push('', title, ...facts.map(({ name, value }) => `  ${name}: ${value}`))
  lines.push('', 'Checks', ...checks.flatMap((check) => checkLines(check).map((line) => `  ${line}`)))
  lines.push('', 'Last errors', ...(errors.length === 0 ? ['  None'] : errors.map(({ at: time, message }) => `  ${time} ${message}`)))
  return `${lines.join('\n')}\n`
}

/** A check in lines: what was found, and what to do. */
export function checkLines({ title, status, detail, remedy }: HealthCheck): string[] {
  return [`${MARKS[status].padEnd(8)}${title}: ${detail}`, ...(remedy === undefined ? [] : [`        → ${remedy}`])]
}
