import { ORPCError } from '@orpc/client'
import { describe, expect, it } from 'vitest'
import { CodedError } from '../../shared/errors'
import { formFailure } from './form-failure'

const refused = (
  message: string,
  code: 'request.invalid' | 'config.write_failed' = 'request.invalid',
): ORPCError<string, unknown> => new ORPCError(code, { data: new CodedError(code, message).failure })

describe('formFailure', () => {
  it('assigns each error to its field', () => {
    expect(formFailure(refused('baseUrl: Invalid URL; id: letters only'), ['baseUrl', 'id'])).toEqual({
      fields: { baseUrl: 'Invalid URL', id: 'letters only' },
      failure: undefined,
    })
  })

  it('reports errors of unknown fields for the whole form', () => {
    const { fields, failure } = formFailure(refused('baseUrl: Invalid URL; headers: not allowed'), ['baseUrl'])
    expect(fields).toEqual({ baseUrl: 'Invalid URL' })
    expect(failure?.message).toContain('headers: not allowed')
  })

  it('reports a failed write for the whole form', () => {
    const { fields, failure } = formFailure(refused('id: whatever', 'config.write_failed'), ['id'])
    expect(fields).toEqual({})
    expect(failure?.code).toBe('config.write_failed')
  })

  it('reports nothing without an error', () => {
    expect(formFailure(null, ['id'])).toEqual({ fields: {}, failure: undefined })
  })
})
