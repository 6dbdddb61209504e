/**
 * Dialogs and sheets with a form: Escape, Back, the close button and Ctrl-K ask before they discard changes, the body
 * shows the server's problem and the API call, and a refused form puts the focus on the first field with an error.
 */
import { Button, Drawer, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { createContext, useContext, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { CallExample } from '../../api/curl.ts';
import { t } from '../../copy/text.ts';
import classes from '../../design/ui.module.css';
import { AsCurl } from '../AsCurl.tsx';
import { useBackCloses } from '../use-back-closes.ts';
import { FormProblem } from './FormProblem.tsx';
import type { ApiForm } from './use-api-form.ts';

interface FormState {
  isDirty: boolean;
  /** A form that is being saved may leave the page. */
  pending: boolean;
}

interface Frame {
  setState: (state: FormState) => void;
  /** Asks first where there are changes. */
  close: () => void;
}

const FrameContext = createContext<Frame | null>(null);

interface FormFrameProps {
  opened: boolean;
  title: string;
  onClose: () => void;
  /** The form. It is recreated each time the frame opens. */
  children: React.ReactNode;
}

const CLEAN: FormState = { isDirty: false, pending: false };

function useFrame({ opened, onClose }: Pick<FormFrameProps, 'opened' | 'onClose'>) {
  const form = useRef(CLEAN);
  const [asking, setAsking] = useState(false);
  const leaving = useBlocker({
    disabled: !opened,
    // Closing a frame that is in the address replaces the address. Back is handled by `useBackCloses`.
    shouldBlockFn: ({ action }) =>
      action !== 'REPLACE' && action !== 'BACK' && form.current.isDirty && !form.current.pending,
    enableBeforeUnload: () => form.current.isDirty,
    withResolver: true,
  });
  const asks = asking || leaving.status === 'blocked';
  // The form and the question both hear an Escape, and the page may be rendered in between: one alone answers it.
  const isAnswered = useRef(false);
  const close = () => {
    if (asks || isAnswered.current) return;
    if (form.current.isDirty) setTimeout(() => setAsking(true));
    else onClose();
  };
  const keep = () => {
    isAnswered.current = true;
    setTimeout(() => (isAnswered.current = false));
    setAsking(false);
    leaving.reset?.();
  };
  const discard = () => {
    const stays = leaving.next?.pathname === leaving.current?.pathname;
    setAsking(false);
    leaving.proceed?.();
    if (!stays) return;
    form.current = CLEAN;
    onClose();
  };
  useBackCloses(opened, close);
  useBackCloses(asks, keep);
  if (!opened && asking) setAsking(false);
  const frame: Frame = { setState: (state) => (form.current = state), close };
  const question = (
    <Modal
      opened={asks}
      onClose={keep}
      title={t('Discard changes?')}
      size="sm"
      zIndex={400}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <Stack>
        <Text>{t('Your changes have not been saved.')}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={keep} data-autofocus>
            {t('Keep editing')}
          </Button>
          <Button color="red" onClick={discard}>
            {t('Discard')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
  return { frame, close, question };
}

interface FormDialogProps extends FormFrameProps {
  /** Pixels, or a size of the theme. */
  size?: number | string;
}

/** A form in a dialog. */
export function FormDialog({ opened, title, onClose, children, size }: FormDialogProps) {
  const { frame, close, question } = useFrame({ opened, onClose });
  return (
    <>
      <Modal
        opened={opened}
        onClose={close}
        title={title}
        closeOnClickOutside={false}
        closeButtonProps={{ 'aria-label': t('Close') }}
        {...(size !== undefined && { size })}
      >
        <FrameContext value={frame}>{children}</FrameContext>
      </Modal>
      {question}
    </>
  );
}

const SHEET_WIDTH = 560;

/** A form at the side of the page, for forms that don't fit a dialog. */
export function FormSheet({ opened, title, onClose, children }: FormFrameProps) {
  const { frame, close, question } = useFrame({ opened, onClose });
  return (
    <>
      <Drawer
        opened={opened}
        onClose={close}
        title={title}
        position="right"
        size={SHEET_WIDTH}
        closeOnClickOutside={false}
        closeButtonProps={{ 'aria-label': t('Close') }}
        classNames={{ title: classes.formTitle, content: classes.formSheet, body: classes.formSheetBody }}
      >
        <FrameContext value={frame}>{children}</FrameContext>
      </Drawer>
      {question}
    </>
  );
}

interface FormBodyProps {
  form: Pick<
    ApiForm<object>,
    'submit' | 'pending' | 'problem' | 'rest' | 'isDirty' | 'failure' | 'reload'
  > & { call?: CallExample };
  /** Label of the button: "Create tag". */
  submit: string;
  /** The API call of the form; defaults to `form.call`. */
  call?: CallExample | readonly CallExample[];
  danger?: boolean;
  /** The form has no fields and only asks: Enter cancels. */
  asks?: boolean;
  disabled?: boolean;
  gap?: string;
  children: React.ReactNode;
}

/** The form inside a dialog or sheet: fields, problem, cURL and buttons. */
export function FormBody(props: FormBodyProps) {
  const {
    form,
    submit,
    call = form.call,
    danger = false,
    asks = false,
    disabled = false,
    gap = 'md',
    children,
  } = props;
  const frame = useContext(FrameContext);
  const element = useRef<HTMLFormElement>(null);
  // Known before the next key: an Escape right after an edit asks, too.
  useLayoutEffect(() => {
    frame?.setState({ isDirty: form.isDirty, pending: form.pending });
    return () => frame?.setState(CLEAN);
  }, [frame, form.isDirty, form.pending]);
  useEffect(() => {
    if (form.failure) element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [form.failure]);
  return (
    <form ref={element} onSubmit={form.submit} noValidate>
      <Stack gap={gap}>
        {children}
        <FormProblem form={form} />
        {call && <AsCurl call={call} />}
        <div className={classes.dialogFoot}>
          {frame && (
            <Button variant="default" onClick={frame.close} {...(asks && { 'data-autofocus': true })}>
              {t('Cancel')}
            </Button>
          )}
          <Button type="submit" loading={form.pending} disabled={disabled} {...(danger && { color: 'red' })}>
            {submit}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
