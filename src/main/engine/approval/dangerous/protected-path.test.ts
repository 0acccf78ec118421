import { expect, test } from 'vitest'
import { protectedPath } from './protected-path'

test.each([
  '/p/.claude/settings.json',
  '/p/.CLAUDE/settings.local.json',
  '/p/sub/.cursor/mcp.json',
  '/p/.gemini/settings.json',
  '/p/.devcontainer/devcontainer.json',
  '/p/.zed/settings.json',
  '/p/.pre-commit-config.yaml',
  '/p/lefthook.yml',
  '/p/shop.code-workspace',
  '/p/.git/hooks/pre-commit',
])('%s always asks, because other programs run its contents', (path) => {
  expect(protectedPath(path, '/home/me')).toBeDefined()
})

test.each(['/p/claude/settings.json', '/p/.claudeignore', '/p/docs/pre-commit-config.yaml', '/p/my-lefthook.yml'])(
  '%s is an ordinary file',
  (path) => {
    expect(protectedPath(path, '/home/me')).toBeUndefined()
  },
)
