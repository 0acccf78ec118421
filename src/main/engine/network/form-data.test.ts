import { describe, expect, test } from 'vitest'
import { FormData } from './form-data'

/** Used in the same way as by provider packages. */
const Given = FormData as unknown as typeof globalThis.FormData

describe('FormData that is loaded on first use', () => {
  test('creates real instances', () => {
    const form = new Given()
    form.set('data', '1')
    expect(form).toBeInstanceOf(globalThis.FormData)
    expect(form.get('data')).toBe('1')
  })

  test('recognizes only its instances', () => {
    expect(new globalThis.FormData() instanceof Given).toBe(true)
    for (const other of [undefined, null, {}, [], 'data', new Map(), new Blob([])])
      expect(other instanceof Given).toBe(false)
  })
})
