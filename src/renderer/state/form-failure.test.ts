import { ORPCError } from '@orpc/client'
import { describe, expect, it } from 'vitest'
import { CodedError } from '../../shared/errors'
import { formFailure } from './form-failure'

const refused = (
  message: string,
  code: 'request.invalid' | 'config.write_failed' = 'request.invalid',
): ORPCError<string, unknown> => new ORPCError(code, { data: new CodedError(code, message).failure })

describe('formFailure', () => {
  it('would catch an error that is not shown at its field', () => {
    expect(formFailure(refused('baseUrl: Invalid URL; id: letters only'), ['baseUrl', 'id'])).toEqual({
      fields: { baseUrl: 'Invalid URL', id: 'letters only' },
      failure: undefined,
    })
  })

  it('would catch an error of a field that the form does not have being swallowed', () => {
    const { fields, failure } = formFailure(refused('baseUrl: Invalid URL; headers: not allowed'), ['baseUrl'])
    expect(fields).toEqual({ baseUrl: 'Invalid URL' })
    expect(failure?.message).toContain('headers: not allowed')
  })

  it('would catch a failure to write the file being taken for a field', () => {
    const { fields, failure } = formFailure(refused('id: whatever', 'config.write_failed'), ['id'])
    expect(fields).toEqual({})
    expect(failure?.code).toBe('config.write_failed')
  })

  it('would catch a form that shows an error before there is one', () => {
    expect(formFailure(null, ['id'])).toEqual({ fields: {}, failure: undefined })
  })
})
