/**
 * A server of the revision without sessions over stdio. Flags: `--starts=FILE` notes each start, `--generation=FILE`
 * holds the generation to start with (`older`: it is the other test server), `--also-older` answers `initialize`, too,
 * `--slow-start=MS` reads nothing for so long, `--versions=LIST` are the revisions it names.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { statelessServer, type StatelessMessage } from './mcp-stateless-answers.ts'

const flags = new Map(
  process.argv.slice(2).map((arg) => arg.replace(/^--/, '').split('=') as [string, string | undefined]),
)
const generation = flags.get('generation')
if (generation !== undefined && readFileSync(generation, 'utf8') === 'older') await import('./mcp-stdio-server.ts')
else serve()

function serve(): void {
  const starts = flags.get('starts')
  if (starts !== undefined) appendFileSync(starts, `${process.pid}\n`)
  const server = statelessServer({
    alsoOlder: flags.has('also-older'),
    ...(flags.has('versions') && { versions: flags.get('versions')!.split(',') }),
  })
  const send = (message: object): void =>
    void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  setTimeout(
    () => {
      createInterface({ input: process.stdin }).on('line', (line) => {
        void server.answer(JSON.parse(line) as StatelessMessage, send).then((answer) => answer && send(answer))
      })
    },
    Number(flags.get('slow-start') ?? 0),
  )
}
