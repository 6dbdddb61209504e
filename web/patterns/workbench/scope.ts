/** State shared by the editors and value trees of a workbench. */
import { createContext } from 'react';
import type { PathPart } from './insertion.ts';
import type { Scope } from './liquid-completion.ts';

/** The sample's variables, which the template editors complete. */
export const SampleScope = createContext<Scope>({});

/** Inserts the path of a value into the template that was focused last. */
type Pick = (parts: readonly PathPart[], isList: boolean) => void;

export const PickPath = createContext<Pick>(() => undefined);
