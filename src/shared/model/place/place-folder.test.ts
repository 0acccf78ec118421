import { expect, it } from 'vitest'
import { pathInPlace, placeFolder, splitPlaceFolder } from './place-folder'

it('parses what it has formatted', () => {
  for (const path of ['/', '~', '~/app', '/srv/app', '/srv/a b/ü', '/a//b', '/~name'])
    expect(splitPlaceFolder(placeFolder({ placeId: 'build-box', path }))).toEqual({ placeId: 'build-box', path })
})

it('names the home folder of a place without a path', () => {
  expect(splitPlaceFolder('place://box')).toEqual({ placeId: 'box', path: '~' })
})

it('leaves folders of this machine unchanged, even odd ones', () => {
  for (const folder of [
    '/srv/app',
    '~',
    'C:\\app',
    'place:/box',
    'place://',
    'place:///srv',
    'place://-x/srv',
    'place://a b/c',
  ]) {
    expect(splitPlaceFolder(folder)).toBeUndefined()
    expect(pathInPlace(folder)).toBe(folder)
  }
  expect(pathInPlace('place://box/srv')).toBe('/srv')
})
