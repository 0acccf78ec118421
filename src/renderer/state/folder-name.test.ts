import { describe, expect, it } from 'vitest'
import { folderName, shortPath } from './folder-name'

describe('folderName', () => {
  it.each([
    ['/home/ada/code/shop', { name: 'shop', place: '~/code' }],
    ['/home/ada/notes', { name: 'notes', place: '~' }],
    ['/home/ada', { name: '~', place: '' }],
    ['/home/adam/x', { name: 'x', place: '/home/adam' }],
    ['/srv', { name: 'srv', place: '/' }],
    ['/', { name: '/', place: '' }],
    ['C:\\Users\\bo\\shop', { name: 'shop', place: 'C:\\Users\\bo' }],
  ])('would catch %s being named wrongly', (path, name) => {
    expect(folderName(path, '/home/ada')).toEqual(name)
  })
})

describe('shortPath', () => {
  it('would catch a home folder of / eating the slash of every path', () => {
    expect(shortPath('/srv/x', '/')).toBe('/srv/x')
  })
  it('would catch a crash before the home folder is known', () => {
    expect(shortPath('/srv/x', undefined)).toBe('/srv/x')
  })
})
