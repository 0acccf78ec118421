import { checkLines, diagnosticsText, type HealthCheck } from '../../../shared/configuration/app'
import type { Parsed } from '../../console/parse-command'
import { diagnosticsReport } from '../../engine/health/run-checks'
import { resolveHome } from '../../engine/config/home'
import { createRedact } from '../../engine/health/app-log'
import { taskHostProgram } from '../../engine/task/client/task-host-program'

/**
 * `trestle doctor`: checks everything Trestle needs, and prints problems and fixes. Returns 1 when there is a problem.
 */
export async function doctorMain({ values }: Parsed, version: string): Promise<number> {
  const { env } = process
  const report = await diagnosticsReport({
    version,
    home: homeOrNone(),
    env,
    taskHost: taskHostProgram(),
    node: { path: process.execPath },
    redact: createRedact({ env }),
  })
  if (values['json'] === true) process.stdout.write(`${JSON.stringify(report)}\n`)
  else if (values['all'] === true) process.stdout.write(diagnosticsText(report))
  else process.stdout.write(reportText(report.checks))
  return report.checks.some(({ status }) => status === 'failed') ? 1 : 0
}

function reportText(checks: readonly HealthCheck[]): string {
  const count = (status: HealthCheck['status']): number => checks.filter((check) => check.status === status).length
  const [failed, warnings] = [count('failed'), count('warning')]
  const sum =
    failed + warnings === 0 ? 'No problems found.' : `${plural(failed, 'problem')}, ${plural(warnings, 'warning')}.`
  return `${[...checks.flatMap(checkLines), '', sum].join('\n')}\n`
}

function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

function homeOrNone(): string | undefined {
  try {
    return resolveHome()
  } catch {
    return undefined
  }
}
