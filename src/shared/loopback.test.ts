import { expect, it } from 'vitest'
import { isLoopbackUrl } from './loopback'

it.each([
  'http://localhost:11434/v1',
  'http://models.localhost/',
  'http://127.0.0.1:8080',
  'http://127.9.9.9',
  'http://0x7f.1/',
  'http://[::1]:1234/',
])('%s is this machine', (url) => expect(isLoopbackUrl(url)).toBe(true))

it.each([
  'https://127.example.com/v1',
  'https://127.0.0.1.example.com/v1',
  'https://localhost.example.com/v1',
  'https://notlocalhost/v1',
  'http://128.0.0.1',
  'http://[::2]/',
  'localhost',
  '',
  undefined,
])('%s is not', (url) => expect(isLoopbackUrl(url)).toBe(false))
