import { describe, expect, it } from 'vitest'
import { toUpdateError, UpdateError } from './update-error'

const failure = (message: string, code?: string) =>
  Object.assign(new Error(message), code === undefined ? {} : { code })

describe('a failed update', () => {
  it.each([
    ['disk-full', failure('write failed', 'ENOSPC')],
    ['disk-full', failure('write failed', 'EDQUOT')],
    ['hash', failure('sha512 checksum mismatch', 'ERR_CHECKSUM_MISMATCH')],
    ['partial', failure('socket hang up')],
    ['partial', failure('read', 'ECONNRESET')],
    ['partial', failure('net::ERR_CONTENT_LENGTH_MISMATCH')],
    ['unreachable', failure('getaddrinfo', 'ENOTFOUND')],
    ['unreachable', failure('net::ERR_INTERNET_DISCONNECTED')],
    ['unreachable', failure('HttpError: 404')],
    ['unreachable', failure('Request timed out')],
    ['install', failure('cannot write to /Applications')],
    ['install', 'a text'],
  ])('is %s for %s', (reason, error) => {
    expect(toUpdateError(error).reason).toBe(reason)
  })

  it('explains what to do next, on one line, whatever the cause', () => {
    const { problem } = toUpdateError(failure('EACCES: denied\n    at write (a.js:1)'))
    expect(problem.message).toBe('The update failed: EACCES: denied')
    expect(problem.advice).toMatch(/\.$/)
  })

  it('is not classified again', () => {
    const known = new UpdateError('signature', 'The signature is wrong.')
    expect(toUpdateError(known)).toBe(known)
    expect(toUpdateError(failure('x')).cause).toBeInstanceOf(Error)
  })
})
