import { chmodSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import { PAIRING_LIMITS } from '../../../shared/model/place/paired-device'
import { PairedDevices } from './paired-devices'

async function setUp() {
  const home = await tempFolder()
  const clock = { at: 1_800_000_000_000 }
  const devices = new PairedDevices(home, () => clock.at)
  const files = (prefix: string): string[] =>
    readdirSync(join(home, 'devices'))
      .filter((name) => name.startsWith(prefix))
      .map((name) => join(home, 'devices', name))
  return { home, clock, devices, files }
}

const REFUSED = expect.objectContaining({ code: 'device.code' })

describe('a pairing code', () => {
  test('is valid only for its limited time, even if the clock is set back', async () => {
    const { clock, devices } = await setUp()
    const { code } = devices.pair('full')
    clock.at += PAIRING_LIMITS.codeMs
    expect(() => devices.redeem(code, 'Late')).toThrow(REFUSED)
    clock.at -= PAIRING_LIMITS.codeMs + 1
    expect(() => devices.redeem(code, 'Set back')).toThrow(REFUSED)
    clock.at += 1
    expect(devices.redeem(code, 'In time').device.name).toBe('In time')
  })

  test.each(['', ' ', '0', '__proto__', 'ZZZZ-ZZZZ', '🔑'])('is not guessed with %j', async (typed) => {
    const { devices } = await setUp()
    devices.pair('full')
    expect(() => devices.redeem(typed, 'Guess')).toThrow(REFUSED)
  })
})

describe('a paired device', () => {
  test('is known by its whole token, until it is revoked', async () => {
    const { home, devices } = await setUp()
    const { token, device } = devices.redeem(devices.pair('full').code, 'Phone')
    const elsewhere = new PairedDevices(home)
    expect(elsewhere.authenticate(token)).toEqual(device)
    for (const wrong of ['', '-', device.deviceId, `${device.deviceId}-`, token.slice(0, -1), `${token}0`, '../../x'])
      expect(elsewhere.authenticate(wrong)).toBeUndefined()
    elsewhere.revoke(device.deviceId)
    expect(devices.authenticate(token)).toBeUndefined()
    expect(devices.isPaired(device)).toBe(false)
    devices.markSeen(device.deviceId, '10.0.0.1')
    expect(devices.list()).toEqual([])
  })

  test.runIf(process.platform !== 'win32')('is rejected if other users could have written its file', async () => {
    const { devices, files } = await setUp()
    const { token } = devices.redeem(devices.pair('full').code, 'Phone')
    const [file = ''] = files('device-')
    chmodSync(file, 0o660)
    expect(devices.authenticate(token)).toBeUndefined()
    chmodSync(file, 0o600)
    expect(devices.authenticate(token)).toBeDefined()
    writeFileSync(file, '{"name":')
    expect(devices.authenticate(token)).toBeUndefined()
  })

  test.each([
    ['a\nb\u202Etxt.exe', 'a b txt.exe'],
    ['\u200B \t', 'Device'],
    ['x'.repeat(PAIRING_LIMITS.nameChars) + '🔑', 'x'.repeat(PAIRING_LIMITS.nameChars)],
  ])('with the name %j is shown as %j', async (name, shown) => {
    const { devices } = await setUp()
    devices.redeem(devices.pair('full').code, name)
    expect(devices.list().map((one) => one.name)).toEqual([shown])
  })
})
