import { afterEach, describe, expect, it, vi } from 'vitest'
import { CodedError } from '../../shared/errors'
import { pairDevice, suggestedName } from './pair-device'

afterEach(() => vi.unstubAllGlobals())

describe('the suggested name of a device', () => {
  const agents = {
    'Android, Chrome': 'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36',
    'Android, Firefox': 'Mozilla/5.0 (Android 14; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0',
    'iPhone, Safari': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1',
    'iPhone, Chrome': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) CriOS/140.0 Mobile/15E148 Safari/604.1',
    'iPhone, Firefox': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) FxiOS/140.0 Mobile Safari/605.1.15',
    'Mac, Safari': 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15',
    'Windows, Edge': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0 Safari/537.36 Edg/140.0',
    'Chromebook, Chrome': 'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36',
    'Linux, Chrome': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36',
    Device: 'curl/8.0',
  }
  it.each(Object.entries(agents))('%s', (name, agent) => expect(suggestedName(agent)).toBe(name))
})

describe('pairing', () => {
  const answering = (answer: () => Response) => vi.stubGlobal('fetch', () => Promise.resolve().then(answer))

  it('returns the token', async () => {
    answering(() => Response.json({ token: 'abc' }))
    expect(await pairDevice('123', 'phone')).toBe('abc')
  })

  it('reports the error of the host', async () => {
    answering(() => Response.json({ code: 'device.code', message: 'The code has expired.' }, { status: 403 }))
    await expect(pairDevice('123', 'phone')).rejects.toThrow('The code has expired.')
  })

  it('fails with a message, whatever a proxy in between answers', async () => {
    for (const body of ['<html>Bad gateway</html>', '', 'null', '3', '{"token":5}']) {
      answering(() => new Response(body, { status: 502 }))
      await expect(pairDevice('123', 'phone')).rejects.toThrow('The device was not paired.')
    }
    answering(() => new Response('null', { status: 200 }))
    await expect(pairDevice('123', 'phone')).rejects.toThrow('The device was not paired.')
  })

  it('says that the host could not be reached', async () => {
    answering(() => {
      throw new TypeError('Failed to fetch')
    })
    const error: unknown = await pairDevice('1', 'x').catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(CodedError)
    expect(error).toMatchObject({ code: 'connection.lost' })
  })
})
