import { total, type Measures } from './measure.ts'
import type { TaskRun } from './run-task'
import { GROUPS } from './task.ts'

/** What is written to `report.json`. */
export interface Report {
  /** When it was made. */
  at: string
  /** Of Trestle. */
  commit?: string
  configurations: ConfigurationReport[]
  runs: TaskRun[]
}

interface ConfigurationReport extends Measures {
  name: string
  runs: number
  passed: number
  /** Runs that could not be graded. */
  errors: number
  groups: Record<string, { runs: number; passed: number }>
}

/** Sums up all runs, one configuration after the other. */
export function createReport(runs: readonly TaskRun[], about: { at: string; commit?: string }): Report {
  const names = [...new Set(runs.map(({ configuration }) => configuration))]
  return { ...about, configurations: names.map((name) => summary(name, runs)), runs: [...runs] }
}

function summary(name: string, all: readonly TaskRun[]): ConfigurationReport {
  const runs = all.filter(({ configuration }) => configuration === name)
  const groups = GROUPS.map((group) => [group, runs.filter((run) => run.group === group)] as const).filter(
    ([, some]) => some.length > 0,
  )
  return {
    name,
    runs: runs.length,
    passed: passedOf(runs),
    errors: runs.filter(({ error }) => error !== undefined).length,
    groups: Object.fromEntries(groups.map(([group, some]) => [group, { runs: some.length, passed: passedOf(some) }])),
    ...total(runs),
  }
}

function passedOf(runs: readonly TaskRun[]): number {
  return runs.filter(({ passed }) => passed).length
}

/** The readable report: configurations side by side, then each task, then the failures. */
export function markdown({ at, commit, configurations, runs }: Report): string {
  const names = configurations.map(({ name }) => name)
  const totals: [string, (one: ConfigurationReport) => string][] = [
    ['passed', (one) => `**${one.passed} of ${one.runs}**`],
    ...GROUPS.filter((group) => configurations.some(({ groups }) => groups[group])).map(
      (group): [string, (one: ConfigurationReport) => string] => [
        `· ${group}`,
        ({ groups }) => (groups[group] ? `${groups[group].passed} of ${groups[group].runs}` : ''),
      ],
    ),
    ['not judged', (one) => String(one.errors)],
    ['steps', (one) => whole(one.steps)],
    ['requests', (one) => whole(one.requests)],
    ['compactions', (one) => whole(one.compactions)],
    ['tool calls (failed)', (one) => `${whole(one.toolCalls)} (${whole(one.failedCalls)})`],
    ['input tokens', (one) => whole(one.input)],
    ['· cached', (one) => whole(one.cached)],
    ['· uncached', (one) => whole(one.uncached)],
    ['output tokens', (one) => whole(one.output)],
    ['cost', (one) => dollars(one.cost)],
    ['seconds, all runs added', (one) => one.seconds.toFixed(1)],
  ]
  const lines = [
    '# Eval report',
    '',
    `${at}${commit === undefined ? '' : `, Trestle at ${commit}`}`,
    '',
    row(['', ...names]),
    row(['---', ...names.map(() => '---:')]),
    ...totals.map(([label, of]) => row([label, ...configurations.map(of)])),
    '',
    '## Tasks',
    '',
    'Passed runs; steps, uncached tokens of input, cost and seconds are averages.',
    '',
    row(['task', ...names.flatMap(() => ['passed', 'steps', 'uncached', 'cost', 's'])]),
    row(['---', ...names.flatMap(() => Array.from({ length: 5 }, () => '---:'))]),
    ...[...new Set(runs.map(({ task }) => task))].map((task) => taskRow(task, names, runs)),
  ]
  if (names.length > 1)
    lines.splice(
      lines.indexOf('## Tasks') + 2,
      0,
      `Columns in this order: ${names.map((name) => `\`${name}\``).join(', ')}.`,
      '',
    )
  const failed = runs.filter((run) => !run.passed)
  if (failed.length > 0) lines.push('', '## Not passed', '')
  for (const run of failed) {
    lines.push(
      `- **${run.task}**, ${run.configuration}, run ${run.run}: ${oneLine(run.error ?? run.problems.join(' '))}`,
    )
  }
  return `${lines.join('\n')}\n`
}

function taskRow(task: string, names: readonly string[], runs: readonly TaskRun[]): string {
  const cells = names.flatMap((name) => {
    const own = runs.filter((run) => run.task === task && run.configuration === name)
    const sums = total(own)
    const each = (sum: number): number => sum / Math.max(1, own.length)
    return [
      `${passedOf(own)} of ${own.length}`,
      each(sums.steps).toFixed(1),
      whole(Math.round(each(sums.uncached))),
      dollars(sums.cost === undefined ? undefined : each(sums.cost)),
      each(sums.seconds).toFixed(1),
    ]
  })
  return row([task, ...cells])
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function whole(count: number): string {
  return count.toLocaleString('en-US')
}

function dollars(cost: number | undefined): string {
  return cost === undefined ? 'unknown' : `$${cost.toFixed(4)}`
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 500 ? `${line.slice(0, 500)} …` : line
}
