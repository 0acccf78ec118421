/** An error in a file, as a language server found it. Line and column count from 1. */
export interface FoundError {
  line: number
  column: number
  message: string
  /** Who says so, e.g. `ts 2322`, `Pyright reportArgumentType`; empty when the server does not say. */
  source: string
}

/** As far as it is read; from a program of the project, so nothing in it is certain. */
interface WireDiagnostic {
  range?: { start?: { line?: unknown; character?: unknown } }
  severity?: unknown
  code?: unknown
  source?: unknown
  message?: unknown
}

const ERROR = 1

/** The errors among what a server has sent about a file, in the order of the lines. Warnings and hints are left out. */
export function errorsIn(diagnostics: unknown): FoundError[] {
  if (!Array.isArray(diagnostics)) return []
  return (diagnostics as (WireDiagnostic | null)[])
    .flatMap((diagnostic): FoundError[] => {
      // Without a severity it is up to the client; a server that sends none means errors.
      if (!diagnostic || (diagnostic.severity ?? ERROR) !== ERROR) return []
      const { range, code, source, message } = diagnostic
      return [
        {
          line: position(range?.start?.line),
          column: position(range?.start?.character),
          message: typeof message === 'string' ? message : JSON.stringify(message ?? ''),
          source: [source, typeof code === 'object' ? undefined : code].filter((part) => part !== undefined && part !== '').join(' '),
        },
      ]
    })
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
}

function position(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value + 1 : 1
}
