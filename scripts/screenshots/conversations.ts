/** The scripted model's answers in each conversation, which is identified by its first prompt. */
import type { RecordedRequest, ScriptStep } from '../../test/support/model-script.ts'

export interface Conversation {
  title: string
  prompt: string
  steps: readonly ScriptStep[]
}

const usage = { input: 29_400, output: 410, cached: 24_000 }

const todos = [
  { title: 'See how the test fails', status: 'in_progress' },
  { title: 'Let useTotals say when it has settled', status: 'pending' },
  { title: 'Let the tests wait for that', status: 'pending' },
  { title: 'Run them 20 times', status: 'pending' },
]

export const FLAKY: Conversation = {
  title: 'Fix the flaky checkout test',
  prompt: 'The checkout test fails one time in five on CI. Fix it, and keep it honest.',
  steps: [
    {
      thinking: 'One in five on CI sounds like a race: look at the test, what it waits for, and how it fails.',
      text: "I'll look at the test and run it a few times to see how it fails.",
      toolCalls: [
        { name: 'TodoList', input: { todos } },
        { name: 'Read', input: { path: 'src/checkout/use-totals.ts' } },
        { name: 'Grep', input: { pattern: 'setTimeout|useDebounced', path: 'src', output_mode: 'content' } },
        {
          name: 'Bash',
          input: { command: 'npx vitest run checkout --repeat 20', description: 'Run the checkout tests 20 times' },
        },
      ],
    },
    {
      usage,
      text:
        'The test reads the total after 300 ms, but the price request takes up to 380 ms. ' +
        "Waiting longer would only hide that, so I'll let `useTotals` say when it has settled.",
      toolCalls: [
        {
          name: 'Edit',
          input: {
            path: 'src/checkout/use-totals.ts',
            old_string: '  return { totals: request.data ?? NOTHING }\n',
            new_string:
              '  return {\n    totals: request.data ?? NOTHING,\n' +
              '    settled: request.data !== undefined && !request.pending,\n  }\n',
          },
        },
      ],
    },
  ],
}

export const CENTS: Conversation = {
  title: 'Move prices to integer cents',
  prompt: 'Move all prices from floats to integer cents, and check that everything still type-checks.',
  steps: [
    {
      usage: { input: 18_200, output: 260, cached: 12_000 },
      thinking: 'Find where prices are made first, then let the compiler lead.',
      text:
        '`money.ts` now holds **cents** everywhere:\n\n```ts\nexport type Cents = number & { readonly unit: ' +
        "'cents' }\n\nexport function format(amount: Cents): string {\n  return (amount / 100).toFixed(2)\n" +
        '}\n```\n\nThe compiler will name every place that still uses floats.',
      toolCalls: [
        { name: 'Bash', input: { command: 'npx tsc --noEmit --watch', description: 'Type-check while I edit' } },
      ],
    },
  ],
}

export const KEYS: Conversation = {
  title: 'Rotate the signing keys',
  prompt: 'Rotate the signing keys for staging. Production stays as it is.',
  steps: [
    {
      usage: { input: 9_800, output: 190, cached: 4_000 },
      thinking: 'The script takes the environment as its first argument; without it, it does all of them.',
      text:
        'The script rotates **one** environment when it is named, and all of them when it is not. ' +
        'So I name it, and keep the old key valid for a day, so that no user is logged out:',
      toolCalls: [
        {
          name: 'Bash',
          input: {
            command: './keys/rotate.sh staging --grace 24h && ./keys/verify.sh staging',
            description: 'Rotate the staging keys and verify them',
          },
        },
      ],
    },
  ],
}

/** Ends with changes to review. */
export const SETTLED: Conversation = {
  title: 'Let totals say when they have settled',
  prompt: 'Let useTotals say when the total has settled, and wait for that in the tests.',
  steps: [
    {
      usage,
      text: 'I read the hook and its test first.',
      toolCalls: [
        { name: 'Read', input: { path: 'src/checkout/use-totals.ts' } },
        { name: 'Read', input: { path: 'test/checkout.test.tsx' } },
      ],
    },
    {
      usage,
      text: '',
      toolCalls: [
        {
          name: 'Edit',
          input: {
            path: 'src/checkout/use-totals.ts',
            old_string: '  return { totals: request.data ?? NOTHING }\n',
            new_string:
              '  const settled = request.data !== undefined && !request.pending\n' +
              '  return { totals: request.data ?? NOTHING, settled }\n',
          },
        },
        {
          name: 'Edit',
          input: {
            path: 'test/checkout.test.tsx',
            old_string: '  await new Promise((resolve) => setTimeout(resolve, 300))\n',
            new_string: "  await screen.findByRole('status', { name: 'Settled' })\n",
            replace_all: true,
          },
        },
      ],
    },
    {
      usage: { ...usage, output: 120 },
      text:
        'Done: `src/checkout/use-totals.ts:12` says when the total has **settled**, ' +
        'and both tests wait for that instead of 300 ms.',
    },
  ],
}

const ALL = [FLAKY, CENTS, KEYS, SETTLED]

/** Answers a request according to its conversation and step. */
export function play(request: RecordedRequest): ScriptStep | undefined {
  const messages = Array.isArray(request.body['messages']) ? (request.body['messages'] as { role: string }[]) : []
  const said = JSON.stringify(messages)
  const conversation = ALL.find(({ prompt }) => said.includes(prompt))
  return conversation?.steps[messages.filter(({ role }) => role === 'assistant').length]
}
