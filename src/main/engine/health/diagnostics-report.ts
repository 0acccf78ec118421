import { release, totalmem, type } from 'node:os'
import { delimiter } from 'node:path'
import type { DiagnosticsReport } from '../../../shared/model/health'
import type { ShellEnvironmentView } from '../../../shared/model/shell-environment'
import { recentErrors } from '../../log/app-log'
import { runChecks, type HealthContext } from './run-checks'

export type DiagnosticsSection = DiagnosticsReport['sections'][number]

export interface ReportContext extends HealthContext {
  version: string
  /** Undefined when there is none that can be used. */
  home: string | undefined
  /** What the host knows: the key store, what draws the window. */
  more?: readonly DiagnosticsSection[]
  redact(text: string): string
}

/** Everything that somebody who helps has to know, with what is wrong. */
export async function diagnosticsReport(context: ReportContext): Promise<DiagnosticsReport> {
  const { version, home, more = [], redact, now = Date.now, loginShell, env } = context
  const { node, electron, chrome } = process.versions
  const sections: DiagnosticsSection[] = [
    { title: 'Trestle', facts: [fact('Version', version), fact('Home folder', home ?? 'none')] },
    {
      title: 'System',
      facts: [
        fact('Operating system', `${type()} ${release()} (${process.platform}, ${process.arch})`),
        fact('Memory', `${Math.round(totalmem() / 1024 ** 3)} GB`),
        fact('Node', node),
        ...(electron === undefined ? [] : [fact('Electron', `${electron} (Chromium ${chrome ?? '?'})`)]),
      ],
    },
    { title: 'Shell environment', facts: shellFacts(loginShell, env) },
    ...more,
  ]
  const checks = await runChecks(context)
  return {
    at: now(),
    sections: sections.map(({ title, facts }) => ({ title, facts: facts.map(({ name, value }) => fact(name, redact(value))) })),
    checks: checks.map((check) => ({ ...check, detail: redact(check.detail) })),
    errors: home === undefined ? [] : recentErrors(home).map(({ at, message }) => ({ at, message: redact(message) })),
  }
}

const STATES: Readonly<Record<ShellEnvironmentView['state'], string>> = {
  inherited: 'From the terminal or program that started Trestle',
  off: 'Login shell turned off in Settings',
  reading: 'Reading the login shell',
  ready: 'From the login shell',
  failed: 'Login shell failed; from the program that started Trestle',
}

function shellFacts(view: ShellEnvironmentView | undefined, env: NodeJS.ProcessEnv): DiagnosticsSection['facts'] {
  return [
    fact('Source', STATES[view?.state ?? 'inherited']),
    ...(view?.shell === undefined ? [] : [fact('Shell', view.shell)]),
    fact('PATH', view ? view.path.join(delimiter) : (env['PATH'] ?? '')),
  ]
}

function fact(name: string, value: string): DiagnosticsSection['facts'][number] {
  return { name, value }
}
