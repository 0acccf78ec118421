import { WebRefusal } from './web-refusal'

/** The text of an answer of `fetch`, given up when it is longer than `most` bytes. */
export async function textFrom(answer: Response, most: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of answer.body ?? []) {
    size += chunk.length
    if (size > most) throw new WebRefusal(`The answer is larger than ${Math.round(most / 1024 / 1024)} MiB.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
