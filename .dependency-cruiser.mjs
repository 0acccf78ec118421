/**
 * The boundaries of the design as rules whose names are sentences: shared <- engine <- api <- host <- entries,
 * shared <- renderer.
 */
const rule = (name, from, to) => ({ name, severity: 'error', from, to })
const NOT_TESTS = '\\.test\\.tsx?$'

/**
 * Layers from bottom to top, each a folder: a file imports from its own folder and from folders before it, never from
 * later ones. A folder that is not listed fails the check, so a new one is given its place here.
 */
const ENGINE_LAYERS = [
  'process',
  'runtime',
  'permission',
  'workspace',
  'plan',
  'skill',
  'store',
  'config',
  'pairing',
  'trust',
  'plugin',
  'environment',
  'network',
  'git',
  'sandbox',
  'model',
  'task',
  'terminal',
  'web',
  'memory',
  'mail',
  'alarm',
  'tool',
  'loop',
  'context',
  'hook',
  'worktree',
  'approval',
  'session',
  'budget',
  'checkpoint',
  'audit',
  'session-move',
  'files',
  'review',
  'conversation',
  'mcp',
  'diagnostics',
  'agent',
  'turn',
  'customize',
  'schedule',
  'place',
  'health',
  'foundation',
  'features',
]
const MAIN_LAYERS = ['engine', 'api', 'console', 'wire', 'role', 'host', 'desktop', 'command-line']
const RENDERER_LAYERS = ['format', 'client', 'state', 'ui', 'features', 'views']

/** One rule for each layer: what lies above it must not be imported. Files directly in `root` lie above all layers. */
function layerRules(root, layers) {
  const below = (index) => layers.slice(0, index + 1).join('|')
  return [
    ...layers.map((layer, index) =>
      rule(
        `${layer}-imports-only-layers-below-it`,
        { path: `^${root}/${layer}/`, pathNot: NOT_TESTS },
        { path: `^${root}/`, pathNot: `^${root}/(${below(index)})/` },
      ),
    ),
    rule(
      `every-folder-of-${root.split('/').at(-1)}-has-its-layer`,
      { path: `^${root}/(?!(?:${layers.join('|')})/)[^/]+/` },
      { path: '.' },
    ),
  ]
}

export default {
  forbidden: [
    rule('nothing-imports-in-circles', {}, { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } }),
    rule(
      'shared-imports-only-shared',
      { path: '^src/shared', pathNot: NOT_TESTS },
      { path: '^src/', pathNot: '^src/shared' },
    ),
    rule('shared-uses-no-node-modules', { path: '^src/shared', pathNot: NOT_TESTS }, { dependencyTypes: ['core'] }),
    rule(
      'the-engine-knows-no-api-host-or-interface',
      { path: '^src/main/engine' },
      { path: '^src/(main/(api|host|command-line)|preload|renderer)' },
    ),
    rule(
      'the-api-knows-no-host',
      { path: '^src/main/api' },
      { path: '^src/(main/(host|command-line)|preload|renderer)' },
    ),
    ...layerRules('src/main/engine', ENGINE_LAYERS),
    ...layerRules('src/main', MAIN_LAYERS),
    ...layerRules('src/renderer', RENDERER_LAYERS),
    rule(
      'hosts-do-not-import-each-other',
      { path: '^src/main/host/([^/]+)/' },
      { path: '^src/main/host/', pathNot: '^src/main/host/$1/' },
    ),
    rule('nothing-in-main-imports-the-renderer', { path: '^src/(main|preload)' }, { path: '^src/renderer' }),
    rule(
      'the-renderer-imports-only-itself-and-shared',
      { path: '^src/renderer', pathNot: NOT_TESTS },
      { path: '^src/(main|preload)' },
    ),
    rule(
      'features-do-not-import-each-other',
      { path: '^src/renderer/features/([^/]+)/' },
      { path: '^src/renderer/features/', pathNot: '^src/renderer/features/$1/' },
    ),
    rule(
      'the-loop-sees-only-providers-and-tools',
      { path: '^src/main/engine/loop/', pathNot: NOT_TESTS },
      {
        path: '^src/main/engine/',
        pathNot:
          '^src/main/engine/(loop/|process/file-descriptors|model/provider|tool/(tool|truncate-result|call-tool)|config/(agent-)?settings/)',
      },
    ),
    rule(
      'diagnostics-know-only-files-settings-and-processes',
      { path: '^src/main/engine/diagnostics/', pathNot: NOT_TESTS },
      {
        path: '^src/main/engine/',
        pathNot:
          '^src/main/engine/(diagnostics|config|trust|sandbox|process|task|workspace|mcp/protocol/server-process|loop/(turn-diagnostics|call-lifecycle))',
      },
    ),
    rule(
      'tools-do-not-import-each-other',
      { path: '^src/main/engine/tool/(files|shell|agent|plan|web)/([^/.]+)\\.ts$', pathNot: NOT_TESTS },
      { path: '^src/main/engine/tool/(files|shell|agent|plan|web)/[^/]+\\.ts$' },
    ),
    rule(
      'only-the-electron-host-imports-electron',
      { path: '^src', pathNot: '^src/(main/host/electron|main/index\\.ts|preload)' },
      { path: '(^|/)node_modules/electron/' },
    ),
    rule(
      'only-the-session-store-imports-sqlite',
      { path: '^src', pathNot: '^src/main/engine/store/' },
      { path: 'node_modules/better-sqlite3' },
    ),
    rule('nothing-unresolvable-is-imported', {}, { couldNotResolve: true, pathNot: '\\?raw$' }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
    },
    exclude: { path: '\\?raw$' },
  },
}
