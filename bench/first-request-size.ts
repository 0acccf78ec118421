import { runAlone, type Measurement } from './support/measurement.ts'
import { printRun } from './support/print-run.ts'

interface ChatRequest {
  messages: { role: string; content: unknown }[]
  tools?: { function: { name: string } }[]
}

/** The fixed cost of every session: the bytes of the system prompt and of the tools in the first request. */
export default async function firstRequestSize(): Promise<Measurement[]> {
  const { arrivals } = await printRun({ answers: () => undefined })
  const [first] = arrivals
  const request = JSON.parse(first!.body!) as ChatRequest
  const system = request.messages.filter(({ role }) => role === 'system' || role === 'developer')
  const tools = request.tools ?? []
  return [
    { name: 'first request', value: first!.bytes, unit: 'bytes', limit: 25_000, note: 'the whole body' },
    { name: 'first request, system prompt', value: bytes(system), unit: 'bytes' },
    {
      name: 'first request, tools',
      value: bytes(tools),
      unit: 'bytes',
      note: tools.map((tool) => `${tool.function.name} ${bytes(tool)}`).join(', '),
    },
    { name: 'first request, number of tools', value: tools.length, unit: 'count' },
  ]
}

function bytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

await runAlone(import.meta.main, firstRequestSize)
