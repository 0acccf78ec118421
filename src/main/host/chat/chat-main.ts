import type { Parsed } from '../../command-line/parse'
export async function chatMain(_parsed: Parsed, _version: string): Promise<number> { return 0 }
