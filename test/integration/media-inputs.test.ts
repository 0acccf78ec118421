import sharp from 'sharp'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { UserPart } from '../../src/shared/model/turn/message'
import { acpRun, openSession } from '../support/acp-run'
import type { ScriptStep } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { makePdf } from '../support/pdf'
import { required } from '../support/required'
import { configFor, createScratch, writeConfig } from '../support/scratch'
import { until } from '../support/until'
import { startWire } from '../support/wire-client'

/** Larger than any provider accepts without scaling or refusing it. */
let large: string
const pdf = makePdf(['Quarterly report', 'The end']).toString('base64')
const PDF_TEXT = '[Page 1 of 2]\nQuarterly report\n\n[Page 2 of 2]\nThe end'

beforeAll(async () => {
  const bytes = await sharp({ create: { width: 3000, height: 1200, channels: 3, background: '#884422' } })
    .png()
    .toBuffer()
  large = bytes.toString('base64')
})

const parts = (): UserPart[] => [
  { type: 'text', text: 'look' },
  { type: 'media', mediaType: 'image/png', data: large, name: 'large.png' },
  { type: 'media', mediaType: 'application/pdf', data: pdf, name: 'report.pdf' },
]

const FITTED = {
  width: 2000,
  height: 800,
  text: expect.stringContaining(`[report.pdf: a PDF of 2 pages, as text]\n${PDF_TEXT}`),
}

interface Sent {
  width: number
  height: number
  text: string
}

/** The user content of a request: the size of its first image, and all text. */
async function sent(model: ModelServer, index: number): Promise<Sent> {
  const { messages } = model.requests[index]!.body as { messages: { role: string; content: unknown }[] }
  const blocks = messages.flatMap(({ role, content }) =>
    role === 'user' && Array.isArray(content) ? (content as { text?: string; image_url?: { url: string } }[]) : [],
  )
  const url = blocks.findLast((block) => block.image_url)?.image_url?.url ?? ''
  const { width, height } = await sharp(Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')).metadata()
  return { width, height, text: blocks.map((block) => block.text ?? '').join('\n') }
}

async function engineWith(script: ScriptStep[]) {
  const scratch = createScratch({})
  const model = await startModelServer({ script })
  writeConfig(scratch.home, configFor(model.baseUrl))
  const engine = await createEngine({ version: 'test', home: scratch.home, watch: false, interactive: true })
  onTestFinished(async () => {
    await engine.close('stop')
    await model.close()
    scratch.remove()
  })
  const { sessionId } = await engine.sessions.create({ folder: scratch.project, mode: 'auto' })
  const ended = (turns: number): Promise<void> =>
    until(
      () => engine.sessions.since(sessionId, 0).filter(({ type }) => type === 'turn.finished').length === turns,
      `turn ${turns} to end`,
      60_000,
    )
  return { engine, sessionId, model, ended }
}

describe('a large image and a PDF are resized for the model', () => {
  it('from the app: in a prompt, in a message that joins the turn, and in a queued one that is edited', async () => {
    const { engine, sessionId, model, ended } = await engineWith([
      { text: 'one' },
      { text: 'two', faults: { stallAfterBytes: 1 } },
    ])
    const { sessions } = engine
    await sessions.prompt(sessionId, parts())
    await ended(1)
    expect(await sent(model, 0)).toEqual(FITTED)
    await sessions.prompt(sessionId, [{ type: 'text', text: 'continue' }])
    const { promptId } = await sessions.prompt(sessionId, [{ type: 'text', text: 'later' }])
    await sessions.editQueued(sessionId, required(promptId, 'the queued prompt'), parts())
    await sessions.steer(sessionId, { parts: parts() })
    const { queue } = sessions.header(sessionId)
    expect(queue).toHaveLength(2)
    for (const { parts: waiting } of queue) {
      const [, image, document] = waiting
      const bytes = Buffer.from(image?.type === 'media' ? image.data : '', 'base64')
      expect(await sharp(bytes).metadata()).toMatchObject({ width: 2000, height: 800 })
      expect(document).toMatchObject({ mediaType: 'application/pdf', data: pdf, text: PDF_TEXT, pages: 2 })
    }
    await sessions.stop(sessionId)
  })

  it('over the wire', async () => {
    const scratch = createScratch({})
    const model = await startModelServer({ script: [{ text: 'seen' }] })
    writeConfig(scratch.home, configFor(model.baseUrl))
    const wire = startWire({ home: scratch.home, cwd: scratch.project })
    onTestFinished(async () => {
      await wire.end()
      await model.close()
      scratch.remove()
    })
    const { sessionId } = await wire.result<{ sessionId: string }>('session.create', { folder: scratch.project })
    await wire.result('session.prompt', { sessionId, parts: parts() })
    await model.arrived(1)
    expect(await sent(model, 0)).toEqual(FITTED)
  })

  it('from an editor', async () => {
    const run = await acpRun({ script: [{ text: 'seen' }] })
    onTestFinished(() => run.close())
    const sessionId = await openSession(run, {})
    await run.client.request('session/prompt', {
      sessionId,
      prompt: [
        { type: 'image', data: large, mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'file:///report.pdf', blob: pdf, mimeType: 'application/pdf' } },
      ],
    })
    const { width, height, text } = await sent(run.server, 0)
    expect([width, height]).toEqual([2000, 800])
    expect(text).toContain(PDF_TEXT)
  })

  it('and unsupported content is rejected with its name and the reason, and is not in the session', async () => {
    const { engine, sessionId, model } = await engineWith([])
    const locked = makePdf(['a'], { encrypted: true }).toString('base64')
    const send = (data: string, name: string) =>
      engine.sessions.prompt(sessionId, [{ type: 'media', mediaType: 'image/png', data, name }])
    await expect(send(locked, 'locked.pdf')).rejects.toThrow(
      'locked.pdf cannot be sent. The PDF is encrypted and needs a password',
    )
    await expect(send('AAAA', 'a.png')).rejects.toThrow(
      'a.png cannot be sent. It is declared as image/png, but is not a supported image',
    )
    expect(engine.sessions.header(sessionId).turns).toBe(0)
    expect(model.requests).toEqual([])
  })
})
