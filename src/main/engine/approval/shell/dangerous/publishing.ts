import type { Word } from '../shell-syntax'

/** Programs and the words with which they publish something, or change what is published. */
const PUBLISHING: readonly [programs: string, words: RegExp][] = [
  ['npm pnpm yarn bun cnpm', /^(?:publish|unpublish|deprecate|dist-tag|owner|access)$/],
  ['cargo', /^(?:publish|yank|owner)$/],
  ['twine pypi-upload', /^upload$/],
  ['gem', /^(?:push|yank|owner)$/],
  ['docker podman nerdctl buildah crane oras helm skopeo', /^(?:push|--push(?:=true)?|copy|sync)$/],
  ['poetry uv flit hatch pdm rye maturin hex ovsx vsce jsr deno lerna np release-it changeset expo', /^(?:publish|upload)$/],
  ['mix', /^hex\.publish$/],
  ['mvn mvnw mvnd', /^(?:deploy(?::.*)?|release:.*|site-deploy|nexus-staging:.*)$/],
  ['gradle gradlew', /(?:^|:)(?:publish\w*|upload\w*|release)$/],
  ['sbt', /publish/],
  ['dotnet nuget', /^push$/],
  ['goreleaser', /^(?:release|publish)$/],
  ['pod', /^(?:trunk|push)$/],
  ['cabal stack luarocks anaconda', /^upload$/],
  [
    'vercel now netlify firebase wrangler flyctl fly surge heroku eas serverless sls gcloud cdk',
    /^(?:deploy|publish|--prod|submit|releases?)$/,
  ],
  ['terraform tofu pulumi', /^(?:apply|destroy|up)$/],
  ['kubectl', /^(?:delete|drain)$/],
]
const ALWAYS = /^(?:semantic-release|np|release-it|ssh-copy-id)$/
/** `gh` and `glab`, by their first two words. */
const FORGE =
  /^(?:release (?:create|upload|edit|delete)|repo (?:create|delete|edit|archive|rename)|secret (?:set|delete|remove)|variable (?:set|delete)|ssh-key (?:add|delete)|gpg-key (?:add|delete)|gist create|workflow (?:run|enable|disable)|auth (?:login|token|logout|setup-git)|config set|alias set|extension install)$/

/** Why a command publishes something, or undefined. Trying it out (`--dry-run`) does not. */
export function publishing(program: string, rest: readonly Word[]): string | undefined {
  const isTrial = rest.some(({ text, known }) => known && /^(?:--dry-run(?:=true)?|--help|-h)$/.test(text))
  if (program === 'gh' || program === 'glab') {
    const [first = '', second = ''] = rest.filter(({ text }) => !text.startsWith('-')).map(({ text }) => text)
    return FORGE.test(`${first} ${second}`) ? `Changes something on the server (${program} ${first} ${second}).` : undefined
  }
  if (isTrial) return undefined
  if (program === 'ssh-copy-id') return 'Gives a key access to another computer.'
  if (ALWAYS.test(program)) return `${program} publishes a version for everybody.`
  const module = /^python[\d.]*$/.test(program) && rest[0]?.text === '-m' ? rest[1]?.text : undefined
  const name = module ?? program
  const words = PUBLISHING.find(([programs]) => programs.split(' ').includes(name))?.[1]
  const said = words && rest.find(({ text }) => words.test(text))
  if (said) return `${name} ${said.text} publishes or changes what others use.`
  if (
    /^python[\d.]*$/.test(program) &&
    rest[0]?.text.endsWith('setup.py') === true &&
    rest.some(({ text }) => /^(?:upload|register)$/.test(text))
  )
    return 'Publishes a version for everybody.'
  return undefined
}
