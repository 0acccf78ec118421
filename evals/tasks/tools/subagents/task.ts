import { call, calls, say } from '../../../runner/solution-steps.ts'
import type { EvalTask, SolutionStep } from '../../../runner/task'

const promptOf = (name: string): string =>
  `Count the comments that begin with "// TODO" in packages/${name}, in all folders below it. Answer with the number and nothing else.`
const agent = (name: string) => ({ name: 'Agent', input: { prompt: promptOf(name), description: `Count in ${name}` } })

/** Counts what its own search has found. */
const counting = (name: string, glob: string): SolutionStep[] => [
  call('Grep', { pattern: '// TODO', path: `packages/${name}`, glob, output_mode: 'content' }),
  ({ said }) => say(String([...said.matchAll(new RegExp(`packages/${name}/\\S+:\\d+:// TODO`, 'g'))].length)),
]

const task: EvalTask = {
  about: 'Gives two parts of the work to two subagents and puts their answers together.',
  prompts: [
    'Use one subagent for each package to count the comments that begin with "// TODO" in packages/anchor and packages/buoy, in all folders. Then answer in one line: anchor=<number> buoy=<number>',
  ],
  check({ answer, events }) {
    const agents = new Set(events.flatMap((event) => (event.type === 'subagent.started' ? [event.agentId] : [])))
    return [
      ...(agents.size >= 2 ? [] : [`${agents.size} subagents were used instead of two.`]),
      ...(/anchor ?= ?3\b/.test(answer) && /buoy ?= ?5\b/.test(answer)
        ? []
        : [`The answer is "${answer}"; right is anchor=3 buoy=5.`]),
    ]
  },
  good: {
    steps: [
      calls(agent('anchor'), agent('buoy')),
      ({ said }) => {
        const [anchor, buoy] = [...said.matchAll(/(?:^|\n|\\n)(\d+)(?=\n|\\n|"|$)/g)].map(([, count]) => count)
        return say(`anchor=${anchor} buoy=${buoy}`)
      },
    ],
    agents: { [promptOf('anchor')]: counting('anchor', '**'), [promptOf('buoy')]: counting('buoy', '**') },
  },
  // One subagent for one package, which overlooks the folder below; the other package from a quick look.
  bad: {
    steps: [
      calls(agent('anchor')),
      call('Grep', { pattern: 'TODO', path: 'packages/buoy', output_mode: 'count_matches' }),
      say('anchor=2 buoy=6'),
    ],
    agents: { [promptOf('anchor')]: counting('anchor', '!deep/**') },
  },
}

export default task
