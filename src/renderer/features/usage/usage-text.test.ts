import { expect, it } from 'vitest'
import { NO_USAGE } from '../../../shared/model/turn/usage'
import { cacheShare, costText, usageCsv } from './usage-text'

it('an unknown price is shown as unknown, never as zero', () => {
  expect(costText({ cost: 0, requests: 3, unpriced: 3 })).toBe('unknown')
  expect(costText({ cost: 0.5, requests: 3, unpriced: 1 })).toBe('$0.50 + unknown')
  expect(costText({ cost: 0, requests: 3, unpriced: 0 })).toBe('$0.00')
})

it('the cache share is relative to the input', () => {
  expect(cacheShare({ input: 200, cached: 150 })).toBe('75%')
  expect(cacheShare({ input: 0, cached: 0 })).toBe('–')
})

it('exports CSV that no spreadsheet interprets as formulas', () => {
  const row = { ...NO_USAGE, requests: 1, cost: 0.25, key: '=cmd()', label: 'say "a, b"\nc' }
  expect(usageCsv({ by: 'session', rows: [row] })).toBe(
    'session,label,requests,input,cached,written,output,thinking,cost,unpriced\r\n' +
      '\'=cmd(),"say ""a, b""\nc",1,0,0,0,0,0,0.25,0\r\n',
  )
})
