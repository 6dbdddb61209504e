/** The faces of the console, shipped with the build: nothing is asked of another server. */
import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
