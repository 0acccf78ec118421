import { parseArgs } from 'node:util'
import { EFFORTS } from '../../src/shared/model/turn/effort.ts'
import { modelConfiguration, scripted, type Configuration } from './configuration.ts'
import { UsageProblem } from './load-tasks.ts'

export interface EvalOptions {
  groups: string[]
  tasks: string[]
  list: boolean
  help: boolean
  runs: number
  jobs: number
  /** Where reports are written. */
  out?: string
  configurations: Configuration[]
}

export const HELP = `Usage: npm run eval -- --model provider/model [options]
       npm run eval -- --scripted good|bad|both [options]

Runs the tasks of evals/tasks with a model, or with the scripted solutions that prove them, and reports how it went.

  --model M              the model, e.g. anthropic/claude-sonnet-5; its key comes from the environment
  --effort LEVEL         how hard it is to think: ${EFFORTS.join(', ')}
  --config FILE          a config.toml with providers and settings to use
  --program FILE         the cli.js of another build of Trestle
  --compare M            a second model to run beside the first; the same model when only these differ:
  --compare-effort LEVEL, --compare-config FILE, --compare-program FILE

  --group G              only this group; can be repeated
  --task T               only this task; can be repeated
  --runs N               run each task so often (default: 1)
  --jobs N               so many at the same time (default: 2)
  --out DIR              write report.json, report.md and the log of each run there
  --list                 name the tasks and end

Exit codes: 0 all runs were judged (--scripted good: all passed; bad: all failed their check), 1 not so, 2 wrong usage.
`

/** Reads the command line; throws a `UsageProblem`. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): EvalOptions {
  const values = parsed(args)
  const { model, effort, config, program, compare } = values
  const options = {
    groups: values.group ?? [],
    tasks: values.task ?? [],
    list: values.list ?? false,
    help: values.help ?? false,
    runs: wholeNumber('--runs', values.runs, 1),
    jobs: wholeNumber('--jobs', values.jobs, 2),
    ...(values.out !== undefined && { out: values.out }),
  }
  if (options.list || options.help) return { ...options, configurations: [] }
  if (values.scripted !== undefined) {
    if ([model, effort, config, compare].some((value) => value !== undefined))
      throw new UsageProblem('--scripted plays the solutions of the tasks: it goes with no model, effort or config.')
    return { ...options, configurations: solutions(values.scripted).map(scripted) }
  }
  if (model === undefined && config === undefined)
    throw new UsageProblem('Which model? --model provider/model runs the tasks with it; --scripted good needs none.')
  for (const level of [effort, values['compare-effort']]) {
    if (level !== undefined && !(EFFORTS as readonly string[]).includes(level))
      throw new UsageProblem(`There is no effort "${level}". There are: ${EFFORTS.join(', ')}.`)
  }
  const first = { model, effort, config, program }
  const second = {
    model: compare,
    effort: values['compare-effort'],
    config: values['compare-config'],
    program: values['compare-program'],
  }
  const isCompared = Object.values(second).some((value) => value !== undefined)
  // A second configuration is the first but for what is given for it; another model has its own effort.
  const both = [
    first,
    ...(isCompared
      ? [{ ...(compare === undefined ? first : { ...first, effort: undefined }), ...defined(second) }]
      : []),
  ]
  const configurations = both.map((choice) => modelConfiguration(defined(choice), env))
  if (configurations.length === 2 && configurations[0]!.name === configurations[1]!.name)
    throw new UsageProblem('The two configurations are the same.')
  return { ...options, configurations }
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const
  const many = { type: 'string', multiple: true } as const
  const flag = { type: 'boolean' } as const
  try {
    return parseArgs({
      args: [...args],
      options: {
        scripted: text,
        model: text,
        effort: text,
        config: text,
        program: text,
        compare: text,
        'compare-effort': text,
        'compare-config': text,
        'compare-program': text,
        group: many,
        task: many,
        runs: text,
        jobs: text,
        out: text,
        list: flag,
        help: { ...flag, short: 'h' },
      },
    }).values
  } catch (error) {
    throw new UsageProblem(error instanceof Error ? error.message : String(error))
  }
}

function solutions(text: string): ('good' | 'bad')[] {
  if (text === 'both') return ['good', 'bad']
  if (text === 'good' || text === 'bad') return [text]
  throw new UsageProblem(`--scripted is good, bad or both; not "${text}".`)
}

function wholeNumber(option: string, text: string | undefined, usual: number): number {
  if (text === undefined) return usual
  if (!/^[1-9]\d{0,2}$/.test(text))
    throw new UsageProblem(`${option} needs a whole number from 1 to 999; not "${text}".`)
  return Number(text)
}

/** Without the fields that are undefined. */
function defined<Fields extends Record<string, string | undefined>>(
  fields: Fields,
): { [Key in keyof Fields]?: string } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]?: string
  }
}
