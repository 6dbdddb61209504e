/** The fonts of the console. They are part of the build, so that no other server is contacted. */
import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
