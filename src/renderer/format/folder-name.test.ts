import { describe, expect, it } from 'vitest'
import { folderName, shortPath } from './folder-name'

describe('folderName', () => {
  it.each([
    ['/home/ada/code/shop', { name: 'shop', parent: '~/code' }],
    ['/home/ada/notes', { name: 'notes', parent: '~' }],
    ['/home/ada', { name: '~', parent: '' }],
    ['/home/adam/x', { name: 'x', parent: '/home/adam' }],
    ['/srv', { name: 'srv', parent: '/' }],
    ['/', { name: '/', parent: '' }],
    ['C:\\Users\\bo\\shop', { name: 'shop', parent: 'C:\\Users\\bo' }],
  ])('shows %s as a name and its parent folder', (path, name) => {
    expect(folderName(path, '/home/ada')).toEqual(name)
  })
})

describe('shortPath', () => {
  it('keeps the leading slash if the home folder is /', () => {
    expect(shortPath('/srv/x', '/')).toBe('/srv/x')
  })
  it('returns the path unchanged until the home folder is known', () => {
    expect(shortPath('/srv/x', undefined)).toBe('/srv/x')
  })
})
