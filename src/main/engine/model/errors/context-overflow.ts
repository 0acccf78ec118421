/** What a provider reports about a request that is too long, in tokens; numbers that it doesn't report are absent. */
export interface ContextOverflow {
  /** The model's context window. */
  window?: number
  /** The input of the request. */
  input?: number
  /** The longest answer that was requested. */
  output?: number
}

/** A number as providers write it: `140821`, `140,821`. */
const N = String.raw`(\d[\d,_]*\d|\d)`
/** `total`: input and output together. */
type Field = keyof ContextOverflow | 'total'

/** How providers and servers phrase it, with the fields of the groups in order. The first match counts. */
const MESSAGE_PATTERNS: readonly [pattern: RegExp, ...fields: Field[]][] = [
  // Anthropic
  [wording(`prompt is too long:? ${N} tokens > ${N} maximum`), 'input', 'window'],
  [wording(`exceed context limit:? ${N} \\+ ${N} > ${N}`), 'input', 'output', 'window'],
  // OpenAI and the many that copied it, with and without the tokens of the answer
  [
    wording(
      `maximum context length is ${N}.{0,80}?requested (?:about ` +
        `)?${N} tokens[^)]{0,120}?${N} in the (?:completion|output)`,
    ),
    'window',
    'total',
    'output',
  ],
  [
    wording(`maximum context length is ${N}.{0,80}?(?:resulted in|requested|contains?)(?: about)? ${N}`),
    'window',
    'input',
  ],
  // xAI, Mistral, Gemini, Moonshot, GitHub
  [wording(`maximum prompt length is ${N}.{0,60}?contains ${N}`), 'window', 'input'],
  [wording(`prompt contains ${N} tokens.{0,60}?model with ${N} maximum`), 'input', 'window'],
  [
    wording(`input token count \\(?${N}\\)? exceeds the maximum number of (?:input )?tokens allowed \\(?${N}`),
    'input',
    'window',
  ],
  [wording(`model token limit:? ${N}.{0,20}?requested:? ${N}`), 'window', 'input'],
  [wording(`token count (?:of )?${N} exceeds the limit of ${N}`), 'input', 'window'],
  // vLLM, SGLang, llama.cpp, text-generation-inference
  [
    wording(`passed ${N} input tokens.{0,60}?requested ${N} output tokens.{0,80}?context length is (?:only )?${N}`),
    'input',
    'output',
    'window',
  ],
  [wording(`input \\(${N} tokens\\) is longer than the model's context length \\(${N}`), 'input', 'window'],
  [wording(`request \\(${N} tokens\\) exceeds the available context size \\(${N}`), 'input', 'window'],
  [wording(`must be <= ${N}.{0,20}?given: ${N}.{0,40}?and ${N}`), 'window', 'input', 'output'],
  // Those that report only their limit
  [wording(`available context size \\(${N}`), 'window'],
  [wording(`input length should be \\[\\d+, ${N}\\]`), 'window'],
  [
    wording(
      '(?:maximum context length|maximum prompt length|model token ' +
        `limit|context window|context length|context limit)(?: is| of|:)? ${N}`,
    ),
    'window',
  ],
]

/** No model has a smaller window; a smaller number means something else. */
const MIN_WINDOW = 1000

/** Reads the numbers from a provider's message. */
export function parseContextOverflow(words: string): ContextOverflow {
  for (const [pattern, ...fields] of MESSAGE_PATTERNS) {
    const found = pattern.exec(words)
    if (!found) continue
    const numbers = new Map(fields.map((field, index) => [field, Number(found[index + 1]!.replaceAll(/[,_]/g, ''))]))
    const [window, output, total] = [numbers.get('window'), numbers.get('output'), numbers.get('total')]
    const input = numbers.get('input') ?? (total === undefined ? undefined : total - (output ?? 0))
    if (window !== undefined && window < MIN_WINDOW) continue
    return {
      ...(window !== undefined && { window }),
      ...(input !== undefined && { input }),
      ...(output !== undefined && { output }),
    }
  }
  return {}
}

function wording(pattern: string): RegExp {
  return new RegExp(pattern.replaceAll(' ', String.raw`[\s\`]+`), 'i')
}
