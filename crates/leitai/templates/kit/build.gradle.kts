// For editors and Gradle; Leitai compiles all .kt files of this folder with kotlinc.
plugins {
    kotlin("jvm") version "1.9.25"
    application
}

repositories { mavenCentral() }

kotlin { sourceSets["main"].kotlin.srcDir(".") }

application { mainClass.set("MainKt") }
