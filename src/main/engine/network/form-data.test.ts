import { describe, expect, test } from 'vitest'
import { FormData } from './form-data'

/** As the packages use it that are given it. */
const Given = FormData as unknown as typeof globalThis.FormData

describe('FormData that is loaded at its first use', () => {
  test('makes real ones', () => {
    const form = new Given()
    form.set('data', '1')
    expect(form).toBeInstanceOf(globalThis.FormData)
    expect(form.get('data')).toBe('1')
  })

  test('tells them from everything else', () => {
    expect(new globalThis.FormData() instanceof Given).toBe(true)
    for (const other of [undefined, null, {}, [], 'data', new Map(), new Blob([])])
      expect(other instanceof Given).toBe(false)
  })
})
