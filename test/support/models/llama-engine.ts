/** Runs a model by llama.cpp, through the parts of node-llama-cpp that these tests use. */
import { join } from 'node:path';

type Token = number;

interface EvaluateOptions {
  temperature: number;
  seed: number;
  yieldEogToken: boolean;
  grammarEvaluationState?: unknown;
}
interface Sequence {
  clearHistory(): Promise<void>;
  evaluate(tokens: Token[], options: EvaluateOptions): AsyncGenerator<Token, void>;
}
interface Model {
  tokens: { bos: Token; eos: Token };
  tokenize(text: string, specialTokens: boolean): Token[];
  detokenize(tokens: Token[]): string;
  createContext(options: object): Promise<{ getSequence(): Sequence }>;
  createEmbeddingContext(
    options: object,
  ): Promise<{ getEmbeddingFor(input: string): Promise<{ vector: readonly number[] }> }>;
}
interface Llama {
  loadModel(options: { modelPath: string }): Promise<Model>;
  createGrammarForJsonSchema(schema: object): Promise<unknown>;
}
/** node-llama-cpp is not a dependency, so its types are not installed. */
interface Library {
  getLlama(options: object): Promise<Llama>;
  LlamaLogLevel: { warn: string };
  LlamaGrammarEvaluationState: new (options: { model: Model; grammar: unknown }) => unknown;
}

const CONTEXT_SIZE = 8192;
const SEQUENCES = 8;
/** A second thread would wait for the first one in a loop, which takes the cores of a busy machine from everyone else. */
const THREADS = 1;

export interface Engine {
  countTokens(text: string): number;
  /**
   * Generates text after a prompt. A caller that leaves the loop ends the work.
   * @param schema JSON schema that the text must match, or null
   * @param ignoreEnd whether to go on after the model's end token
   */
  generate(
    prompt: string,
    options: { temperature: number; seed: number; schema: object | null; ignoreEnd: boolean },
  ): AsyncGenerator<string, void>;
  embed(text: string): Promise<readonly number[]>;
}

/** @param tools folder in which node-llama-cpp is installed */
export async function loadEngine(tools: string, modelPath: string): Promise<Engine> {
  const entry = join(tools, 'node_modules/node-llama-cpp/dist/index.js');
  const library = (await import(entry)) as Library;
  const llama = await library.getLlama({
    gpu: false,
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    maxThreads: THREADS,
    logLevel: library.LlamaLogLevel.warn,
  });
  const model = await llama.loadModel({ modelPath });
  const contextOptions = { contextSize: CONTEXT_SIZE, threads: THREADS };
  const context = await model.createContext({ ...contextOptions, sequences: SEQUENCES });
  const embeddings = await model.createEmbeddingContext(contextOptions);
  const free = Array.from({ length: SEQUENCES }, () => context.getSequence());
  const waiting: ((sequence: Sequence) => void)[] = [];
  const take = (): Promise<Sequence> =>
    new Promise((resolve) => {
      const sequence = free.pop();
      if (sequence) resolve(sequence);
      else waiting.push(resolve);
    });

  return {
    countTokens: (text) => model.tokenize(text, false).length,
    async *generate(prompt, { temperature, seed, schema, ignoreEnd }) {
      const grammar = schema && (await llama.createGrammarForJsonSchema(schema));
      const sequence = await take();
      try {
        await sequence.clearHistory();
        const tokens = [model.tokens.bos, ...model.tokenize(prompt, false)];
        const options: EvaluateOptions = {
          temperature,
          seed,
          yieldEogToken: true,
          ...(grammar
            ? { grammarEvaluationState: new library.LlamaGrammarEvaluationState({ model, grammar }) }
            : {}),
        };
        for await (const token of sequence.evaluate(tokens, options)) {
          if (token !== model.tokens.eos) yield model.detokenize([token]);
          else if (!ignoreEnd) return;
        }
      } finally {
        const next = waiting.shift();
        if (next) next(sequence);
        else free.push(sequence);
      }
    },
    async embed(text) {
      return (await embeddings.getEmbeddingFor(text)).vector;
    },
  };
}
